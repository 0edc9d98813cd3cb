export { applyRuleImport } from './apply-import.ts';
export { ruleImportsFeature } from './feature.ts';
export { type ImportSource, importSources } from './found-rule.ts';
export type { RuleImport } from './shapes.ts';
export { startRuleImport } from './start-import.ts';
