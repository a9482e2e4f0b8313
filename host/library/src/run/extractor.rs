//! The component that reads documents other than text, with a fresh instance for each document.
//!
//! Its readers are large, and their input may be malicious. An instance has no access to anything,
//! has a memory cap and a deadline, and is dropped after its one document: a failure only affects
//! that document.

use std::sync::OnceLock;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use wasmtime::Engine;
use wasmtime::component::{Component, ComponentNamedList, ComponentType, InstancePre, Lift, Lower};

use crate::clock::Clock;
use crate::contract::docent::docent::extract::{
    ExtractedDocument, Failure, Limits as Caps, Member, MemberList,
};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::run::instance::Instance;
use crate::run::no_files::{self, NoFiles};

/// The interface that the readers export, and its functions.
const INTERFACE: &str = "docent:docent/extract@0.1.0";
const EXTRACT: &str = "extract";
const LIST_MEMBERS: &str = "list-members";
const UNPACK: &str = "unpack";

/// A document for a reader, and the limits of its reading.
pub(crate) struct ReaderInput<'a> {
    pub(crate) extension: &'a str,
    pub(crate) content: &'a [u8],
    pub(crate) caps: Caps,
    pub(crate) timeout: Duration,
    pub(crate) cancel: &'a CancellationToken,
}

/// A factory of reader instances; the readers are loaded when the first document needs them.
pub(crate) struct ReaderFactory {
    engine: Engine,
    /// Other component; none for the one that the build compiled.
    component: Option<Component>,
    /// Linked readers; the inner option is none if they do not fit this machine, which a retry
    /// would not change.
    linked: OnceLock<Option<InstancePre<NoFiles>>>,
    memory: usize,
    timeout: Duration,
    clock: Clock,
}

impl ReaderFactory {
    /// Returns the readers for guests of `engine`, with the reader limits in `limits`.
    pub(crate) fn new(engine: &Engine, component: Option<Component>, limits: &Limits) -> Self {
        Self {
            engine: engine.clone(),
            component,
            linked: OnceLock::new(),
            memory: limits.reader_memory,
            timeout: limits.reader_timeout,
            clock: limits.clock.clone(),
        }
    }

    /// Returns the maximum time to read one document.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Returns the linked readers; none if they do not fit this machine.
    fn link_readers(&self) -> Option<&InstancePre<NoFiles>> {
        let link = || {
            let component = match &self.component {
                Some(component) => component.clone(),
                None => super::image::extractor(&self.engine).ok()?,
            };
            no_files::link(&component).ok()
        };
        self.linked.get_or_init(link).as_ref()
    }

    /// Reads a document in an instance of its own.
    ///
    /// # Errors
    /// The fault that ended it.
    pub(crate) async fn read(
        &self,
        input: ReaderInput<'_>,
    ) -> Result<Result<ExtractedDocument, Failure>, Fault> {
        let arguments = (input.extension, input.content, input.caps);
        self.call(EXTRACT, arguments, &input).await
    }

    /// Lists the members of a container in an instance of its own.
    ///
    /// # Errors
    /// The fault that ended it.
    pub(crate) async fn list_members(
        &self,
        input: ReaderInput<'_>,
    ) -> Result<Result<MemberList, Failure>, Fault> {
        let arguments = (input.extension, input.content, input.caps);
        self.call(LIST_MEMBERS, arguments, &input).await
    }

    /// Reads the members of a container that have one of `paths`, or all if there are no `paths`,
    /// in an instance of its own.
    ///
    /// # Errors
    /// The fault that ended it.
    pub(crate) async fn unpack(
        &self,
        input: ReaderInput<'_>,
        paths: Option<&[String]>,
    ) -> Result<Result<Vec<Member>, Failure>, Fault> {
        let arguments = (input.extension, input.content, paths, input.caps);
        self.call(UNPACK, arguments, &input).await
    }

    async fn call<A, R>(
        &self,
        function_name: &str,
        arguments: A,
        input: &ReaderInput<'_>,
    ) -> Result<Result<R, Failure>, Fault>
    where
        A: ComponentNamedList + Lower + Send + Sync,
        R: ComponentType + Lift + Send + Sync + 'static,
    {
        let unavailable = || Fault::Unavailable("the readers cannot be loaded".to_owned());
        let component = self.link_readers().ok_or_else(unavailable)?;
        // The ticker is running, because a call waits for this document.
        let state = NoFiles::new(self.memory, self.clock.clone());
        let made = Instance::new(component, state, input.timeout).await;
        let mut instance = made.map_err(|fault| match fault {
            Fault::Unavailable(_) => unavailable(),
            other => other,
        })?;
        instance
            .run_guarded(input.timeout, input.cancel, async |instance, store| {
                let interface = instance.get_export_index(&mut *store, None, INTERFACE);
                let function = interface.and_then(|interface| {
                    instance.get_export_index(&mut *store, Some(&interface), function_name)
                });
                let function =
                    function.ok_or_else(|| wasmtime::format_err!("no `{function_name}`"))?;
                let function =
                    instance.get_typed_func::<A, (Result<R, Failure>,)>(&mut *store, &function)?;
                let (read,) = function.call_async(store, arguments).await?;
                Ok(read)
            })
            .await
    }
}
