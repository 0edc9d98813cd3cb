export { type FlowAccessTwin, type FlowPublished, type FlowState, startFlowAccessTwin } from './flow-access.ts';
