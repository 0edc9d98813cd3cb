export { toChecksumAddress } from './evm/checksum-address.ts';
export { evmSignatures } from './evm/personal-sign.ts';
export { evmWallets } from './evm/safe-address.ts';
