export {
  type ImmutableXAsset,
  type ImmutableXEmulator,
  type ImmutableXState,
  startImmutableXEmulator,
} from './immutable-x.ts';
