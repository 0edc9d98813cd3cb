import { parseAbi } from 'viem';

/** What is used of Safe 1.4.1. */
export const safeAbi = parseAbi([
  'event ExecutionFailure(bytes32 indexed txHash, uint256 payment)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)',
  'function getOwners() view returns (address[])',
  'function nonce() view returns (uint256)',
  'function swapOwner(address prevOwner, address oldOwner, address newOwner)',
]);

export const proxyFactoryAbi = parseAbi([
  'function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)',
]);

export const tokenAbi = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)',
]);
