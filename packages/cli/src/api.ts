import type {
  AppliedRuleSet,
  RuleSet,
  RuleSetPlan,
  RuleSetProgress,
  RuleSetToApply,
  WantedRuleSet,
} from '@latchkey/core/rule-files';

/** The operations that the commands use: over HTTP with an API key, or within a server’s own command line. */
export interface RuleSetApi {
  /** Finds a community by its id or name. */
  getRuleSet(community: string): Promise<RuleSet>;
  planRuleSet(communityId: string, wanted: WantedRuleSet): Promise<RuleSetPlan>;
  applyRuleSet(communityId: string, wanted: RuleSetToApply): Promise<AppliedRuleSet>;
  applyBrakes(
    communityId: string,
    wanted: { version: string; brakes: NonNullable<WantedRuleSet['brakes']> },
  ): Promise<AppliedRuleSet>;
  getProgress(communityId: string, firstRuleChangeId: string | undefined): Promise<RuleSetProgress>;
}
