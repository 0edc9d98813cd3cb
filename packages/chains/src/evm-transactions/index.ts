export {
  type ChainOptions,
  type Client,
  connect,
  isKnownAlready,
  isRevert,
  lacksMoney,
  signTransaction,
  stateOf,
} from './sign.ts';
