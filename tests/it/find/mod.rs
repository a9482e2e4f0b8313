//! `find-files` through the component: pages against the reference on real files, and which times
//! its hosts tell.

mod pages;
mod times;
