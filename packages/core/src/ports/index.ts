export * from './chat-platform.ts';
export * from './egress.ts';
export * from './evm.ts';
export * from './evm-wallets.ts';
export * from './holdings.ts';
export * from './mailer.ts';
export * from './wallet-proofs.ts';
