//! Loans: states that a rank with much to do gives to one with little, which expands them (`balance.rs` decides).

use super::{ITEM_EXTRA_WORDS, Worker};
use crate::base::{wire, words};
use crate::comm::Tag;
use crate::exchange::{Exchange, Inbound};
use crate::explore::StateRef;

impl Worker<'_, '_> {
    /// States of a peer with more to do: expanded here, owned there.
    pub(super) fn receive_loan(&mut self, exchange: &mut Exchange<'_>, inbound: &Inbound) {
        if self.stopping {
            return;
        }
        let mut state = Vec::with_capacity(self.words);
        for item in inbound.bytes().chunks_exact((self.words + ITEM_EXTRA_WORDS) * 8) {
            let (bytes, rest) = item.split_at(self.words * 8);
            state.clear();
            words::read(bytes, &mut state);
            let mut reader = wire::Reader::new(rest);
            let (id, level) = (reader.u64().expect("an id"), reader.u64().expect("a level"));
            let pushed = self.frontier.push(&state, StateRef::from_word(id), level as u32);
            self.figures.borrowed += 1;
            self.survive(exchange, pushed);
        }
    }

    /// Lends states to a peer with much less to do.
    pub(super) fn lend(&mut self, exchange: &mut Exchange<'_>) {
        let mine = self.frontier.len();
        let Some((peer, count)) = self.settings.balance.loan(self.me, mine, exchange.peer_loads()) else {
            return;
        };
        let mut state = Vec::with_capacity(self.words);
        let mut lent = 0;
        while lent < count {
            match self.frontier.pop(&mut state) {
                Ok(Some((id, level))) => {
                    let rest = [id.word(), u64::from(level)];
                    exchange.post_parts(peer, Tag::Loans, &[&words::bytes(&state), &words::bytes(&rest)]);
                    lent += 1;
                }
                Ok(None) => break,
                Err(error) => {
                    self.survive(exchange, Err(error));
                    break;
                }
            }
        }
        exchange.flush_kind(Tag::Loans);
        // Until the peer speaks again, count what was lent as its own.
        let load = &mut exchange.peer_loads()[peer.index()];
        *load = load.saturating_add(lent as u32);
    }
}
