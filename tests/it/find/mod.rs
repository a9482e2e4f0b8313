//! Tests of `find-files` through the component: pages compared with the reference on real files,
//! and the times that its hosts report.

mod pages;
mod times;
