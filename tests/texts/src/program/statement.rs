//! Statements.

use super::{Body, Kind, Maker, Variable};

impl Maker<'_> {
    pub(super) fn statement(&mut self, depth: u32) {
        match self.random.below(if depth == 0 { 12 } else { 24 }) {
            0..=2 => self.show(),
            3 | 4 => {
                let kind = self.kind();
                self.assign_new(kind);
            }
            5 | 6 => self.reassign(),
            7 => self.unpack(),
            8 => self.attempt(),
            9 => self.change(),
            10 => self.leave(),
            11 => self.assert_or_delete(),
            12 | 13 => self.branch(depth),
            14..=16 => self.repeat(depth),
            17..=19 => self.catch(depth),
            20 => self.enter(depth),
            21 | 22 => self.select(depth),
            _ => self.nested_function(),
        }
    }

    /// Records a value.
    fn show(&mut self) {
        let kind = self.kind();
        let value = self.expr(kind, 3);
        if self.body == Body::Generator && self.chance(2) {
            return self.line(&format!("yield {value}"));
        }
        self.line(&format!("out.append({value})"));
    }

    fn reassign(&mut self) {
        let kind = self.kind();
        let Some(name) = self.variable(kind, true) else {
            self.assign_new(kind);
            return;
        };
        let augmented = match kind {
            Kind::Int => self.one_of(&["+= $i", "-= $i", "*= #", "//= #", "%= #", "^= #", "|= #", "&= 255"]),
            Kind::Float => self.one_of(&["+= $f", "-= $i", "*= 0.5", "/= #"]),
            Kind::Text => self.one_of(&["+= $s[:5]", "= $s"]),
            Kind::Flag => self.one_of(&["&= $b", "|= $b", "^= $b"]),
            Kind::Ints => self.one_of(&["+= $l[:3]", "[1:2] = $l[:2]", "*= 1", "[:] = $l[:6]"]),
            Kind::Words => self.one_of(&["+= $w[:3]", "+= $s[:2]"]),
            Kind::Table => self.one_of(&["|= $d", "[$s] = $i", "= $d"]),
            Kind::Pair => "= $t",
        };
        let rest = self.fill(augmented, 2);
        let space = if rest.starts_with('[') { "" } else { " " };
        self.line(&format!("{name}{space}{rest}"));
        // Numbers and texts stay small in loops.
        match kind {
            Kind::Int => self.line(&format!("{name} %= 10007")),
            Kind::Text | Kind::Ints | Kind::Words => self.line(&format!("{name} = {name}[:12]")),
            _ => {}
        }
    }

    fn unpack(&mut self) {
        let (a, b, c) = (self.name("v"), self.name("v"), self.name("v"));
        let (template, kinds) = match self.random.below(6) {
            0 => ("@, & = $t", vec![(&a, Kind::Int), (&b, Kind::Int)]),
            1 => ("@, *& = [$i, *$l]", vec![(&a, Kind::Int), (&b, Kind::Ints)]),
            2 => ("*@, & = [*$l, $i]", vec![(&a, Kind::Ints), (&b, Kind::Int)]),
            3 => ("(@, &), ~ = $t, $s", vec![(&a, Kind::Int), (&b, Kind::Int), (&c, Kind::Text)]),
            4 => ("@ = & = $i", vec![(&a, Kind::Int), (&b, Kind::Int)]),
            _ => ("[@, *&, ~] = $i, *$l, $i", vec![(&a, Kind::Int), (&b, Kind::Ints), (&c, Kind::Int)]),
        };
        let text = self.fill(&template.replace('@', &a).replace('&', &b).replace('~', &c), 2);
        self.line(&text);
        for (name, kind) in kinds {
            self.variables.push(Variable { name: name.clone(), kind, is_own: true });
        }
    }

    /// Records a value or an exception.
    fn attempt(&mut self) {
        let value = self.risky();
        self.line(&format!("out.append(attempt(lambda: {value}))"));
    }

    /// Changes a container.
    fn change(&mut self) {
        let kind = [Kind::Ints, Kind::Words, Kind::Table][self.random.below(3)];
        let Some(name) = self.variable(kind, true) else { return self.show() };
        let change = match kind {
            Kind::Ints => self.one_of(&[
                ".append($i)",
                ".extend($l[:2])",
                ".insert($i, $i)",
                ".reverse()",
                ".sort()",
                ".sort(key=lambda x: -x, reverse=$b)",
            ]),
            Kind::Words => self.one_of(&[".append($s)", ".sort()", ".sort(key=len)", ".insert(0, $s)"]),
            _ => self.one_of(&[".update($d)", ".setdefault($s, $i)", ".pop($s, None)", ".update(a=$i)"]),
        };
        let change = self.fill(change, 2);
        self.line(&format!("{name}{change}"));
        if kind != Kind::Table {
            self.line(&format!("del {name}[10:]"));
        }
    }

    fn leave(&mut self) {
        let condition = self.expr(Kind::Flag, 2);
        let body = self.body;
        let leave = match body {
            Body::Function(kind) if self.chance(2) => format!("return {}", self.expr(kind, 2)),
            Body::Generator if self.chance(3) => "return 'done'".to_owned(),
            _ if self.loops > 0 => self.one_of(&["break", "continue"]).to_owned(),
            _ => "pass".to_owned(),
        };
        self.line(&format!("if {condition}:\n    {leave}"));
    }

    fn assert_or_delete(&mut self) {
        if self.chance(2) {
            let text = self.fill("assert $i != None, $s", 1);
            return self.line(&text);
        }
        let name = self.name("v");
        let value = self.expr(Kind::Ints, 2);
        self.line(&format!("{name} = [0, *{value}]\ndel {name}[0]\nout.append({name})\ndel {name}"));
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.expr(Kind::Flag, 3);
        self.block(&format!("if {condition}:"), |m| m.statements(depth - 1));
        if self.chance(3) {
            let condition = self.fill("elif (w := $i) > $i:", 2);
            self.block(&condition, |m| m.statements(depth - 1));
        }
        if self.chance(2) {
            self.block("else:", |m| m.statements(depth - 1));
        }
    }

    fn repeat(&mut self, depth: u32) {
        let (a, b) = (self.name("v"), self.name("v"));
        let (head, kinds): (&str, &[Kind]) = match self.random.below(8) {
            0 => ("for @ in $l[:5]:", &[Kind::Int]),
            1 => ("for @ in range(#):", &[Kind::Int]),
            2 => ("for @, & in enumerate($w[:4]):", &[Kind::Int, Kind::Text]),
            3 => ("for @, & in list($d.items())[:4]:", &[Kind::Text, Kind::Int]),
            4 => ("for @, & in zip($l, $w):", &[Kind::Int, Kind::Text]),
            5 => ("for @ in $s[:4]:", &[Kind::Text]),
            6 => ("for @, *& in [$t, (*$l[:4], 1)]:", &[Kind::Int, Kind::Ints]),
            _ => {
                // Counts down before anything else, so that `continue` does not skip it.
                let count = 1 + self.random.below(4);
                self.line(&format!("{a} = {count}"));
                self.loops += 1;
                self.block(&format!("while {a} > 0:"), |m| {
                    m.line(&format!("{a} -= 1"));
                    m.statements(depth - 1);
                });
                self.loops -= 1;
                return self.otherwise(depth);
            }
        };
        let head = self.fill(&head.replace('@', &a).replace('&', &b), 2);
        self.loops += 1;
        self.block(&head, |m| {
            for (name, kind) in [a, b].into_iter().zip(kinds) {
                m.variables.push(Variable { name, kind: *kind, is_own: true });
            }
            m.statements(depth - 1);
        });
        self.loops -= 1;
        self.otherwise(depth);
    }

    fn otherwise(&mut self, depth: u32) {
        if self.chance(4) {
            self.block("else:", |m| m.statements(depth - 1));
        }
    }

    fn catch(&mut self, depth: u32) {
        let error = self.name("e");
        self.block("try:", |m| {
            m.statements(depth - 1);
            let raise = match m.random.below(4) {
                0 => m.raise(),
                1 => return,
                _ => format!("out.append({})", m.risky()),
            };
            m.line(&raise);
        });
        let class = match self.random.below(4) {
            0 => "(ValueError, TypeError)".to_owned(),
            1 => "LookupError".to_owned(),
            _ => "Exception".to_owned(),
        };
        self.block(&format!("except {class} as {error}:"), |m| {
            m.line(&format!("out.append((type({error}).__name__, {error}.args))"));
            m.statements(depth - 1);
            if m.chance(5) {
                let from = m.one_of(&["", " from None", " from @"]).replace('@', &error);
                let value = m.expr(Kind::Int, 1);
                m.line(&format!("try:\n    raise KeyError({value}){from}\nexcept KeyError as again:"));
                m.line("    out.append((again.args, repr(again.__cause__), type(again.__context__).__name__, again.__suppress_context__))");
            }
        });
        if class != "Exception" {
            self.block(&format!("except Exception as {error}:"), |m| {
                m.line(&format!("out.append(str({error}))"));
            });
        }
        if self.chance(3) {
            self.block("else:", |m| m.statements(depth - 1));
        }
        if self.chance(3) {
            // No jumps: they would hide exceptions.
            self.block("finally:", Maker::show_plainly);
        }
    }

    fn show_plainly(&mut self) {
        let value = self.fill("out.append(('finally', $a))", 2);
        self.line(&value);
    }

    fn raise(&mut self) -> String {
        let own = self.errors.get(self.random.below(self.errors.len())).cloned();
        match own {
            Some(class) if self.chance(2) => self.fill(&format!("raise {class}($i, $s)"), 1),
            _ => {
                let raise = self.one_of(&[
                    "raise ValueError($s)",
                    "raise KeyError($s)",
                    "raise TypeError",
                    "raise IndexError($i, $s)",
                    "raise RuntimeError($s) from ValueError($i)",
                    "raise ZeroDivisionError()",
                    "assert not $i, $s",
                ]);
                self.fill(raise, 1)
            }
        }
    }

    fn enter(&mut self, depth: u32) {
        let name = self.name("v");
        let head = self.fill(&format!("with Scope($i) as {name}:"), 1);
        self.block(&head, |m| {
            m.variables.push(Variable { name, kind: Kind::Int, is_own: true });
            m.statements(depth - 1);
            if m.chance(3) {
                let raise = m.one_of(&["raise KeyError('swallowed')", "[][1]", "{}['x']"]);
                m.line(raise);
            }
        });
    }

    fn select(&mut self, depth: u32) {
        let subject = self.fill("match $a:", 2);
        self.line(&subject);
        self.indent += 1;
        let (a, b) = (self.name("v"), self.name("v"));
        for _ in 0..1 + self.random.below(4) {
            let (pattern, kinds): (&str, &[Kind]) = match self.random.below(14) {
                0 => ("case 0 | 1 | -3:", &[]),
                1 => ("case int(@):", &[Kind::Int]),
                2 => ("case str() as @:", &[Kind::Text]),
                3 => ("case str(@) if len(@) > #:", &[Kind::Text]),
                4 => ("case [int(@), int(&)]:", &[Kind::Int, Kind::Int]),
                5 => ("case [int(@), *&]:", &[Kind::Int]),
                6 => ("case {'a': int(@), **&}:", &[Kind::Int, Kind::Table]),
                7 => ("case []:", &[]),
                8 => ("case float(@):", &[Kind::Float]),
                9 => ("case True | False as @:", &[Kind::Flag]),
                10 => ("case [str(@), *_]:", &[Kind::Text]),
                11 => ("case (_, _) as @:", &[]),
                12 => ("case dict(@) if not @:", &[Kind::Table]),
                _ => ("case 'a' | 'b' | None:", &[]),
            };
            let head = self.fill(&pattern.replace('@', &a).replace('&', &b), 1);
            self.block(&head, |m| {
                for (name, kind) in [&a, &b].into_iter().zip(kinds) {
                    m.variables.push(Variable { name: name.clone(), kind: *kind, is_own: true });
                }
                m.statements(depth - 1);
            });
        }
        if self.chance(2) {
            self.block("case _:", |m| m.statements(depth - 1));
        }
        self.indent -= 1;
    }

    /// A closure that changes a variable of the function, or of the module.
    fn nested_function(&mut self) {
        let Some(name) = self.variable(Kind::Int, true) else { return self.show() };
        let function = self.name("f");
        let word = if self.body == Body::Module { "global" } else { "nonlocal" };
        let change = self.fill("(@ * # + step) % 100", 1).replace('@', &name);
        self.line(&format!(
            "def {function}(step=1):\n    {word} {name}\n    {name} = {change}\n    return {name}"
        ));
        self.line(&format!("out.append(({function}(), {function}(2), {name}))"));
    }
}
