//! The span that node constructors of a thread use.
//!
//! Inside helpers that a script calls, it is a call site: a position with the calls that led there. Most code that runs
//! there builds no node, so the calls are kept as a stack and interned when the span is read.

use std::cell::{Cell, RefCell};

use super::Span;

/// A position, and how many of the open calls led there.
#[derive(Clone, Copy)]
struct Point {
    here: Span,
    calls: u32,
}

thread_local! {
    static CURRENT: Cell<Point> = const { Cell::new(Point { here: Span::UNKNOWN, calls: 0 }) };
    /// The open calls of helpers, outermost first.
    static CALLS: RefCell<Vec<Point>> = const { RefCell::new(Vec::new()) };
}

/// The state of [`Span::current`], to restore it.
#[derive(Clone, Copy)]
#[must_use]
pub struct CurrentSpan(Point);

/// A call of a helper that spans include until [`OpenCall::close`].
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct OpenCall {
    /// Number of open calls, with this one.
    calls: u32,
}

impl Span {
    /// The span that node constructors on this thread use. While a script is parsed, it is that of the statement or
    /// call being evaluated.
    #[inline]
    pub fn current() -> Span {
        let point = CURRENT.get();
        if point.calls == 0 { point.here } else { point.resolve_current() }
    }

    /// Sets [`Span::current`] and returns its previous value.
    #[inline]
    pub fn set_current(span: Span) -> Span {
        let before = Span::current();
        CURRENT.set(Point { here: span, calls: 0 });
        before
    }

    /// Sets [`Span::current`] to a position inside the helper of a call; the span is made when it is read.
    #[inline]
    pub fn set_current_in(call: Option<OpenCall>, here: Span) {
        CURRENT.set(Point { here, calls: call.map_or(0, |call| call.calls) });
    }

    /// The state of [`Span::current`].
    #[inline]
    pub fn save_current() -> CurrentSpan {
        CurrentSpan(CURRENT.get())
    }
}

impl CurrentSpan {
    /// Restores the state.
    #[inline]
    pub fn restore(self) {
        CURRENT.set(self.0);
    }

    /// The span without the calls that led there.
    pub fn here(self) -> Span {
        self.0.here
    }

    /// Returns `true` if calls led there.
    pub fn is_in_call(self) -> bool {
        self.0.calls > 0
    }

    /// Opens the call of a helper at this point.
    pub fn open_call(self) -> OpenCall {
        CALLS.with_borrow_mut(|calls| {
            calls.push(self.0);
            OpenCall { calls: u32::try_from(calls.len()).unwrap_or(u32::MAX) }
        })
    }
}

impl OpenCall {
    /// Closes the call and those inside it.
    pub fn close(self) {
        CALLS.with_borrow_mut(|calls| calls.truncate(self.calls.saturating_sub(1) as usize));
    }

    /// The span of a position inside the helper.
    pub fn span(self, here: Span) -> Span {
        Point { here, calls: self.calls }.resolve()
    }
}

impl Point {
    #[cold]
    fn resolve_current(self) -> Span {
        let here = self.resolve();
        CURRENT.set(Point { here, calls: 0 });
        here
    }

    fn resolve(self) -> Span {
        CALLS.with_borrow_mut(|open| {
            // The calls around the position, innermost first, up to one whose span is known.
            let mut around = Vec::new();
            let mut calls = self.calls;
            let mut caller = Span::UNKNOWN;
            while let Some(point) = (calls as usize).checked_sub(1).and_then(|at| open.get(at)) {
                if point.calls == 0 {
                    caller = point.here;
                    break;
                }
                around.push(calls);
                calls = point.calls;
            }
            for at in around.into_iter().rev() {
                let Some(point) = open.get_mut(at as usize - 1) else { continue };
                caller = Span::call_site(point.here, caller);
                *point = Point { here: caller, calls: 0 };
            }
            Span::call_site(self.here, caller)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceId, SpanKind};

    fn at(start: u32) -> Span {
        Span::range(SourceId::new("current"), start, start + 1)
    }

    #[test]
    fn spans_inside_calls_are_call_sites() {
        let before = Span::save_current();
        Span::set_current(at(1));
        let outer = Span::save_current().open_call();
        Span::set_current_in(Some(outer), at(2));
        let inner = Span::save_current().open_call();
        Span::set_current_in(Some(inner), at(3));
        let deepest = Span::save_current();
        let expected = Span::call_site(at(3), Span::call_site(at(2), at(1)));
        assert_eq!(inner.span(at(3)), expected);
        assert_eq!(Span::current(), expected);
        Span::set_current_in(Some(outer), at(4));
        assert_eq!(Span::set_current(at(5)), Span::call_site(at(4), at(1)));
        deepest.restore();
        assert_eq!(Span::current(), expected);
        assert!(matches!(expected.kind(), SpanKind::CallSite { callee, .. } if callee == at(3)));
        inner.close();
        outer.close();
        before.restore();
    }

    #[test]
    fn a_call_at_an_unknown_position_adds_nothing() {
        let before = Span::save_current();
        Span::set_current(Span::UNKNOWN);
        let call = Span::save_current().open_call();
        Span::set_current_in(Some(call), at(7));
        assert_eq!(Span::current(), at(7));
        call.close();
        before.restore();
    }
}
