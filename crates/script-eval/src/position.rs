//! Positions of an evaluation.

use tvmscript_ir_core::Token;

use crate::host::Mode;

/// A way to run host code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Run {
    /// Called by a script, or in a text without scripts: failures are errors.
    Strict,
    /// Around scripts: unknown values become [`Placeholder`](crate::Placeholder)s.
    Tolerant,
    /// Explored for the scripts in it, as [`Run::Tolerant`]; the file does not run it.
    Exploring,
}

/// The position of an evaluation: it decides how names resolve, which rules operators follow, and what a failure means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Position {
    /// A module-level statement.
    Module(Run),
    /// A function, class body or comprehension of host code.
    Function {
        /// The way in which it runs.
        run: Run,
        /// That of the script around a comprehension.
        token: Token,
    },
    /// A decorator of host code, and the functions that it calls.
    Decorator {
        /// The way in which it runs.
        run: Run,
        /// `true` inside a function.
        is_local: bool,
    },
    /// The body of a script.
    Script {
        /// Its dispatch token.
        token: Token,
        /// The rules for operators: Python's for values of keyword arguments.
        mode: Mode,
    },
}

impl Position {
    /// Returns the way in which host code runs here.
    pub fn run(self) -> Run {
        match self {
            Position::Module(run) | Position::Function { run, .. } | Position::Decorator { run, .. } => run,
            Position::Script { .. } => Run::Strict,
        }
    }

    /// Tests whether failures become [`Placeholder`](crate::Placeholder)s instead of errors.
    #[inline]
    pub fn is_tolerant(self) -> bool {
        self.run() != Run::Strict
    }

    /// Tests whether the code runs only for the scripts in it.
    pub fn is_exploring(self) -> bool {
        self.run() == Run::Exploring
    }

    /// Tests whether names resolve in the environment of host code, not in a script body.
    #[inline]
    pub fn is_local(self) -> bool {
        matches!(self, Position::Function { .. } | Position::Decorator { is_local: true, .. })
    }

    /// Tests whether this is the body of a script.
    #[inline]
    pub fn is_script(self) -> bool {
        matches!(self, Position::Script { .. })
    }

    /// Tests whether a decorator of host code is evaluated.
    pub fn is_decorator(self) -> bool {
        matches!(self, Position::Decorator { .. })
    }

    /// The dispatch token.
    #[inline]
    pub fn token(self) -> Token {
        match self {
            Position::Function { token, .. } | Position::Script { token, .. } => token,
            Position::Module(_) | Position::Decorator { .. } => Token::DEFAULT,
        }
    }

    /// The rules for operators.
    #[inline]
    pub fn mode(self) -> Mode {
        match self {
            Position::Script { mode, .. } => mode,
            _ => Mode::Host,
        }
    }

    /// The body of a script under a token; module level for the default one.
    #[must_use]
    pub fn of_token(token: Token) -> Position {
        match token {
            Token::DEFAULT => Position::Module(Run::Strict),
            token => Position::Script { token, mode: Mode::Script },
        }
    }

    /// A definition here that is a script, up to its own token.
    #[must_use]
    pub fn script(self) -> Position {
        Position::Script { token: self.token(), mode: self.mode() }
    }

    /// An expression here that follows Python's rules.
    #[must_use]
    pub fn under_python_rules(self) -> Position {
        match self {
            Position::Script { token, .. } => Position::Script { token, mode: Mode::Host },
            other => other,
        }
    }

    /// A comprehension, class body or similar here.
    #[must_use]
    pub(crate) fn inside(self) -> Position {
        match self {
            Position::Decorator { run, .. } => Position::Decorator { run, is_local: true },
            other => Position::Function { run: other.run(), token: other.token() },
        }
    }

    /// The body of a function that is called here.
    #[must_use]
    pub(crate) fn called(self) -> Position {
        match self {
            Position::Decorator { run, .. } => Position::Decorator { run, is_local: true },
            other => Position::Function { run: other.run(), token: Token::DEFAULT },
        }
    }

    /// A module that is imported here.
    #[must_use]
    pub(crate) fn imported(self) -> Position {
        let run = if self.is_exploring() { Run::Exploring } else { Run::Tolerant };
        Position::Function { run, token: Token::DEFAULT }
    }

    /// A decorator here.
    #[must_use]
    pub(crate) fn decorator(self) -> Position {
        Position::Decorator { run: self.run(), is_local: self.is_local() }
    }

    /// Code here that is explored.
    #[must_use]
    pub(crate) fn explored(self) -> Position {
        let run = Run::Exploring;
        match self {
            Position::Module(_) => Position::Module(run),
            Position::Function { token, .. } => Position::Function { run, token },
            Position::Decorator { is_local, .. } => Position::Decorator { run, is_local },
            Position::Script { .. } => self,
        }
    }
}
