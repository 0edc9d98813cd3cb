export { type ChainOptions, type Client, connect } from './connect.ts';
export { isKnownAlready, isRevert, lacksMoney } from './failures.ts';
export { signTransaction, stateOf } from './sign.ts';
