// What documentation pages state about the server: its settings, commands and supported wallets.
export { commands } from './cli/commands.ts';
export { invocations, shortWords } from './cli/invocations.ts';
export { type OnPages, onPages } from './cli/on-pages.ts';
export { composeWallets } from './compose/wallets.ts';
export { readConfig, variables } from './config.ts';
export { partnerVariables } from './config-partners.ts';
export { signerReads } from './config-signer.ts';
export { latchkeyVersion } from './version.ts';
