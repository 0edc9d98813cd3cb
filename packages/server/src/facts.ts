// What pages say of the server: its settings, its commands, the wallets it knows.
export { commands } from './cli/commands.ts';
export { type OnPages, onPages } from './cli/on-pages.ts';
export { shortWords, waysToRun } from './cli/ways-to-run.ts';
export { composeWallets } from './compose/wallets.ts';
export { readConfig, variables } from './config.ts';
export { partnerVariables } from './config-partners.ts';
