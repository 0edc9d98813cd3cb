export { type FlowAccessEmulator, type FlowPublished, type FlowState, startFlowAccessEmulator } from './flow-access.ts';
