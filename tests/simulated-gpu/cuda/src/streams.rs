//! Streams and events: `cuStream*`, `cuEvent*`.

use crate::codes::*;
use crate::driver::{Driver, Handle, Kind, Object};
use crate::entry::{exported, put};
use std::ffi::{c_int, c_uint};
use std::time::Instant;

impl Driver {
    pub fn handle_of_stream(&mut self, stream: Handle) -> Result<Handle, Code> {
        self.context_of_stream(stream)?;
        let current = self.current();
        Ok(self.object(stream).map_or(current, |object| object.context))
    }

    fn synchronise_stream(&mut self, stream: Handle) -> Result<(), Code> {
        let context = self.context_of_stream(stream)?;
        context.synchronise();
        let device = context.device.clone();
        self.write_down(&device, 0);
        Ok(())
    }

    /// When it was reached last, and in which context.
    fn event(&mut self, event: Handle) -> Result<(Handle, Option<Instant>), Code> {
        match self.object(event)? {
            Object { context, kind: Kind::Event { recorded } } => Ok((*context, *recorded)),
            _ => Err(INVALID_HANDLE),
        }
    }

    fn milliseconds(&mut self, start: Handle, end: Handle) -> Result<f32, Code> {
        let (Some(start), Some(end)) = (self.event(start)?.1, self.event(end)?.1) else {
            return Err(INVALID_HANDLE);
        };
        Ok(end.saturating_duration_since(start).as_secs_f32() * 1000.0)
    }
}

exported! {
    fn cuStreamCreate(stream: *mut Handle, _flags: c_uint) |driver| {
        put(stream, driver.create(Kind::Stream)?)
    }

    fn cuStreamCreateWithPriority(stream: *mut Handle, _flags: c_uint, _priority: c_int) |driver| {
        put(stream, driver.create(Kind::Stream)?)
    }

    fn cuStreamDestroy_v2(stream: Handle) |driver| {
        driver.remove(stream, |kind| matches!(kind, Kind::Stream)).map(drop)
    }

    fn cuStreamSynchronize(stream: Handle) |driver| {
        driver.synchronise_stream(stream)
    }

    fn cuStreamQuery(stream: Handle) |driver| {
        driver.context_of_stream(stream).map(drop)
    }

    fn cuStreamWaitEvent(stream: Handle, event: Handle, _flags: c_uint) |driver| {
        driver.context_of_stream(stream)?;
        driver.event(event).map(drop)
    }

    fn cuEventCreate(event: *mut Handle, _flags: c_uint) |driver| {
        put(event, driver.create(Kind::Event { recorded: None })?)
    }

    fn cuEventDestroy_v2(event: Handle) |driver| {
        driver.remove(event, |kind| matches!(kind, Kind::Event { .. })).map(drop)
    }

    fn cuEventRecord(event: Handle, stream: Handle) |driver| {
        driver.context_of_stream(stream)?;
        driver.event(event)?;
        driver.object(event)?.kind = Kind::Event { recorded: Some(Instant::now()) };
        Ok(())
    }

    fn cuEventQuery(event: Handle) |driver| {
        driver.event(event).map(drop)
    }

    fn cuEventSynchronize(event: Handle) |driver| {
        let (context, _) = driver.event(event)?;
        let context = driver.context_of(context)?;
        context.synchronise();
        let device = context.device.clone();
        driver.write_down(&device, 0);
        Ok(())
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) |driver| {
        put(milliseconds, driver.milliseconds(start, end)?)
    }

    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: Handle, end: Handle) |driver| {
        put(milliseconds, driver.milliseconds(start, end)?)
    }
}
