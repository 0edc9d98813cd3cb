export { type Bus, type BusOptions, type Listener, openBus, publish, type Unsubscribe } from './bus.ts';
export {
  type AliveProcess,
  heartbeatProcess,
  heartbeatSeconds,
  leaveProcess,
  listAlive,
  listAliveTogether,
  type ProcessInfo,
  processMetrics,
  registerProcess,
} from './processes.ts';
