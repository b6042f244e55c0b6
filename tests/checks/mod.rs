//! Certificates through both checks of `audit`: view by view, and set by set.

use verify::audit::certificate::{Checked, Failure, Obligation, check};
use verify::audit::setwise::{self, Budget};
use verify::ir::Model;
use verify::ir::eval::Options;
use verify::verdict::certificate::Certificate;

pub const BUDGET: Budget = Budget { bytes: 1 << 31, stop: &|| None };

/// What the check view by view says; the one set by set says the same, and the evaluator confirms its example.
pub fn agreed(
    model: &Model,
    certificate: &Certificate,
    options: Options,
    views_max: usize,
) -> Result<Checked, Failure> {
    let by_views = check(model, certificate, options, views_max);
    let by_sets = setwise::check(model, certificate, options, BUDGET);
    match (&by_views, &by_sets) {
        (Err(failure), _) if failure.obligation == Obligation::Size => {}
        (Ok(views), Ok(sets)) => assert_eq!((views.properties, sets.views), (sets.properties, None)),
        (Err(views), Err(sets)) => {
            assert_eq!(views.obligation, sets.obligation, "{views}\n{sets}");
            if views.obligation != Obligation::Interference {
                assert_eq!(views.component, sets.component, "{views}\n{sets}");
            }
            assert_eq!(views.state.is_some(), sets.state.is_some(), "{views}\n{sets}");
            assert!(!sets.detail.contains("translation"), "{sets}");
        }
        (views, sets) => panic!("view by view: {views:?}; set by set: {sets:?}"),
    }
    by_views
}
