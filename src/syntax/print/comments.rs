//! Where comments and blank lines go.
//!
//! Comments are printed in their order, each exactly once: `next_comment` only moves forward, and what is
//! left is printed at the end.

use super::Printer;
use crate::syntax::ast::Comment;
use crate::syntax::span::Span;

impl Printer<'_> {
    fn pending(&self) -> Option<Comment> {
        self.comments.get(self.next_comment).copied()
    }

    /// The comments that stand before `start`, then a blank line if there was one, then those before
    /// `until`: inside what is about to be printed in one piece.
    pub(super) fn leading(&mut self, start: u32, until: u32) {
        self.comments_before(start);
        self.blank_line_at(start);
        while self.pending().is_some_and(|comment| comment.span.start < until) {
            self.comment();
        }
    }

    /// The comments that stand before an offset, each on its own line.
    pub(super) fn comments_before(&mut self, until: u32) {
        while let Some(comment) = self.pending().filter(|comment| comment.span.start < until) {
            self.blank_line_at(comment.span.start);
            self.comment();
        }
    }

    fn comment(&mut self) {
        if let Some(comment) = self.pending() {
            let text = self.comment_text(comment);
            self.line(&text);
            self.next_comment += 1;
        }
    }

    fn comment_text(&self, comment: Comment) -> String {
        self.source.slice(comment.span).replace("\r\n", "\n")
    }

    /// One blank line if the source has some here or this part is to be set apart; none in front of a block.
    fn blank_line_at(&mut self, offset: u32) {
        let due = self.apart || self.blank_before(offset);
        if due && !self.fresh && !self.out.ends_with("\n\n") {
            self.line("");
        }
        self.apart = false;
    }

    fn blank_before(&self, offset: u32) -> bool {
        let before = self.source.slice(Span::new(0, offset));
        let white = before.chars().rev().take_while(|c| c.is_whitespace());
        white.filter(|&c| c == '\n').take(2).count() == 2
    }

    /// Comments on the line on which a part ended, with nothing but separators between: they stay there.
    pub(super) fn trailing(&mut self, end: u32) {
        let separators = |gap: &str| gap.chars().all(|c| c.is_whitespace() || c == ';' || c == ',');
        self.append_comments(end, u32::MAX, separators);
    }

    /// Comments on the line on which the head of a block ended, before the block's first part.
    pub(super) fn trailing_head(&mut self, end: u32, body: u32) {
        self.append_comments(end, body, |_| true);
    }

    /// Comments before `limit` on the line that `end` lies on go behind the line printed last.
    pub(super) fn append_comments(&mut self, mut end: u32, limit: u32, gap_fits: impl Fn(&str) -> bool) {
        while let Some(comment) = self.pending().filter(|comment| comment.span.start < limit) {
            let start = comment.span.start;
            let same_line = start >= end && self.source.line_of(start) == self.source.line_of(end);
            if !same_line || !gap_fits(self.source.slice(Span::new(end, start))) {
                return;
            }
            let text = self.comment_text(comment);
            if self.out.ends_with('\n') {
                self.out.pop();
            }
            self.out.push(' ');
            self.out.push_str(&text);
            self.out.push('\n');
            self.next_comment += 1;
            end = comment.span.end;
        }
    }

    /// Whether a comment that is not yet printed begins inside a span.
    pub(super) fn comment_pending_in(&self, span: Span) -> bool {
        self.pending()
            .is_some_and(|comment| span.start <= comment.span.start && comment.span.start < span.end)
    }

    /// Whether a comment begins inside a span.
    pub(super) fn comment_inside(&self, span: Span) -> bool {
        let first = self.comments.partition_point(|comment| comment.span.start < span.start);
        self.comments.get(first).is_some_and(|comment| comment.span.start < span.end)
    }

    /// The first offset at or behind `offset` that is neither white, nor a semicolon, nor in a comment.
    pub(super) fn code_after(&self, mut offset: u32) -> u32 {
        loop {
            let rest = self.source.slice(Span::new(offset, self.source.len()));
            let skipped = rest.find(|c: char| !c.is_whitespace() && c != ';').unwrap_or(rest.len());
            offset += skipped as u32;
            match self.comments.binary_search_by_key(&offset, |comment| comment.span.start) {
                Ok(found) if self.comments[found].span.end > offset => offset = self.comments[found].span.end,
                _ => return offset,
            }
        }
    }

    /// Where `word` begins if it is what stands directly before `offset`, else `offset`.
    pub(super) fn word_before(&self, offset: u32, word: &str) -> u32 {
        let mut end = offset;
        let mut comment = self.comments.partition_point(|comment| comment.span.start < offset);
        loop {
            let before = self.source.slice(Span::new(0, end));
            let code = before.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
            end = code.len() as u32;
            match comment.checked_sub(1).map(|last| self.comments[last].span) {
                Some(last) if last.end == end => {
                    end = last.start;
                    comment -= 1;
                }
                _ => break,
            }
        }
        let start = end.saturating_sub(word.len() as u32);
        let found = self.source.slice(Span::new(start, end));
        if found.eq_ignore_ascii_case(word) { start } else { offset }
    }
}
