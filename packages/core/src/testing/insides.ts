// What tests and benchmarks of other packages do inside features, past their operations.
export { keepInteraction } from '../communities/discord/index.ts';
export { buttonInputs, commandInputs } from '../communities/discord-interactions/commands.ts';
export { InteractionBody } from '../communities/discord-interactions/interaction.ts';
export { signAction } from '../communities/miniapps/action-signature.ts';
export { keepQuestion } from '../communities/miniapps/permission-queries.ts';
export { readExport } from '../gating/rule-imports/read-export.ts';
export { evaluate as evaluateQuery, threadMs as queryThreadMs } from '../gating/rules/queries/evaluate.ts';
export { startQueries } from '../gating/rules/queries/start-queries.ts';
export { pseudonymFor } from '../machinery/erasures/index.ts';
export { keyPlace } from '../machinery/signer/signer-context.ts';
export { reads as nearReads } from '../near/near-indexer/testing.ts';
export { paginate } from '../paging.ts';
export { insertErasure } from '../people/account/erasure-queries.ts';
export { totpSealed } from '../people/totp/index.ts';
