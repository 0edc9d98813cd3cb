// What tests and benchmarks of other packages do inside features, past their operations.
export { keepInteraction } from '../communities/discord-guilds/index.ts';
export { signAction } from '../developers/mini-apps/action-signature.ts';
export { keepQuestion } from '../developers/mini-apps/permission-queries.ts';
export { openRules } from '../gating/evaluation/index.ts';
export { compareRules, findProblems } from '../gating/rule-analysis/index.ts';
export { drawFrom } from '../gating/rule-analysis/testing/random-rules.ts';
export { settingFor } from '../gating/rule-health/setting-for.ts';
export { readExport } from '../gating/rule-imports/read-export.ts';
export { evaluate as evaluateQuery, threadMs as queryThreadMs } from '../gating/rules/queries/evaluate.ts';
export { startQueries } from '../gating/rules/queries/start-queries.ts';
export { totpSealed } from '../identity/totp/index.ts';
export { reads as nearReads } from '../near/near-indexer/testing.ts';
export { pseudonymFor } from '../services/erasures/index.ts';
export { keyPlace } from '../services/signer/signer-context.ts';
export { paginate } from '../shared/paging.ts';
export { insertErasure } from '../surfaces/account/erasure-queries.ts';
export { buttonInputs, commandInputs, formInputs } from '../surfaces/discord-interactions/commands.ts';
export { InteractionBody } from '../surfaces/discord-interactions/interaction.ts';
