//! Text tables: columns as wide as their widest cell, numbers to the right.

/// Rows of cells below a head.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Table {
        Table { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The table as text; columns are two spaces apart.
    pub fn render(&self) -> String {
        let columns = self.rows.iter().chain([&self.head]).map(Vec::len).max().unwrap_or(0);
        let cell = |row: &Vec<String>, at: usize| row.get(at).cloned().unwrap_or_default();
        let mut out = String::new();
        let shape: Vec<(usize, bool)> = (0..columns)
            .map(|at| {
                let cells = || self.rows.iter().map(|row| cell(row, at));
                let width =
                    cells().chain([cell(&self.head, at)]).map(|c| c.chars().count()).max().unwrap_or(0);
                let numeric =
                    cells().all(|c| c.is_empty() || c == "–" || c.starts_with(|c: char| c.is_ascii_digit()));
                (width, numeric)
            })
            .collect();
        let has_head = self.head.iter().any(|cell| !cell.is_empty());
        for row in has_head.then_some(&self.head).into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (at, &(width, numeric)) in shape.iter().enumerate() {
                let text = cell(row, at);
                let gap = " ".repeat(width - text.chars().count());
                let (before, after) = if numeric { (gap, String::new()) } else { (String::new(), gap) };
                line += &format!("{}{before}{text}{after}", if at > 0 { "  " } else { "" });
            }
            out += line.trim_end();
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_words_left() {
        let mut table = Table::new(["name", "count"]);
        table.row(["a", "5"]);
        table.row(["longer", "1,234"]);
        assert_eq!(table.render(), "name    count\na           5\nlonger  1,234\n");
    }
}
