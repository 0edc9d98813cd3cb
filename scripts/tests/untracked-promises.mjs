// Loaded before each test file. Node's runner follows every promise of its process to know which test it belongs to,
// which costs up to a sixth of the time. What goes astray still fails its file, only not the very test.
import hooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
syncBuiltinESMExports();
