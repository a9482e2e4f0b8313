//! Tests of the sandbox: hostile trees under the real component, and hostile guests under the real
//! host.

mod alone;
mod deed;
mod hostile;
mod machine;
mod tree;

mod denied;
mod links;
mod mounts;
mod names;
mod paths;
mod races;
mod sensitive;
mod sizes;
mod special;
mod tangles;

mod code;
mod component;
mod containers;
mod encoder;
mod foreign;
mod fresh;
mod greed;
mod leaks;
mod openings;
mod packed;
mod reach;
mod roots;
mod silent;
mod state;
mod watches;
mod writing;
