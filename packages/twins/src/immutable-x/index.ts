export { type ImmutableXAsset, type ImmutableXState, type ImmutableXTwin, startImmutableXTwin } from './immutable-x.ts';
