import { listOf, op, pageOf, pageParams, record, shape, T, text } from '@latchkey/kernel';
import { communityAdmin, communityRuler } from '../../communities/communities/index.ts';
import { describeDraft } from './describe-draft.ts';
import { findTokens } from './find-tokens.ts';
import { listRuleRoles } from './list-roles.ts';
import { getCommunityRule, listCommunityRules } from './list-rules.ts';
import { previewDraft } from './preview-draft.ts';
import { listRuleHistory } from './rule-history.ts';
import { changeCommunityRule, createCommunityRule, refuseChange, refuseNew } from './save-rule.ts';
import {
  ChangedRule,
  DraftDescription,
  DraftPreview,
  DraftTrial,
  draft,
  NewRule,
  RuleChange,
  RuleDetails,
  RuleRole,
  RuleSummary,
  SavedRule,
  TokenPicture,
  TokenSearch,
} from './shapes.ts';
import { getTokenPicture } from './token-picture.ts';
import { tryDraft } from './try-draft.ts';

const reads = communityAdmin('communityId', 'community:read');
const writes = communityRuler('communityId', 'community:write');
const checks = communityRuler('communityId', 'role-manager');

const communityId = text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});
const ruleId = text('The id of the rule.', { minLength: 1, maxLength: 700 });

const publicIds = {
  chainId: 'A chain.',
  tokenId: 'A token, public on its chain.',
  eventId: 'A public event.',
  roleId: 'A role, given in the community of the rule only.',
};

export const ruleBuilderOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rules',
    {
      id: 'listCommunityRules',
      summary: 'List rules with their state',
      description:
        'Returns the rules of a community, oldest first: each as a sentence, with its role, how many members have it, and what is wrong, for example a role that was deleted on the platform. For community admins.',
      access: reads,
      params: {
        communityId,
        search: T.Optional(text('Only rules with this text in their name, role or sentence.', { maxLength: 200 })),
        ...pageParams,
      },
      returns: pageOf(RuleSummary, 'RuleSummaryPage'),
      paginated: 'token',
    },
    listCommunityRules,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rules',
    {
      id: 'createCommunityRule',
      summary: 'Create a rule with a visibility',
      description:
        'Creates a rule. It is checked as in `POST /communities/{id}/tpcs`. What it changes becomes a role plan; a plan that takes a role from many members waits for approval. For community admins.',
      audit: 'rule.create',
      facts: { senderDecides: 'rule visibility', idsOfNobody: publicIds },
      access: writes,
      params: { communityId },
      body: NewRule,
      returns: SavedRule,
      errors: ['PLAN_LIMIT_REACHED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
      before: refuseNew,
      repeatable: true,
    },
    createCommunityRule,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rules/{ruleId}',
    {
      id: 'getCommunityRule',
      summary: 'Get a rule with its state',
      description: 'Returns a rule as it is saved, as a sentence, and how its role stands. For community admins.',
      access: reads,
      params: { communityId, ruleId },
      returns: RuleDetails,
    },
    getCommunityRule,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/rules/{ruleId}',
    {
      id: 'changeCommunityRule',
      summary: 'Change a rule',
      description:
        'Replaces a rule under the id it has, for example to give it another role after its role was deleted. What it changes becomes a role plan; a plan that takes a role from many members waits for approval. With updatedTime, fails with STATE_CONFLICT if somebody else changed the rule in the meantime. For community admins.',
      audit: 'rule.change',
      facts: { senderDecides: 'rule visibility updatedTime', idsOfNobody: publicIds },
      access: writes,
      params: { communityId, ruleId },
      body: ChangedRule,
      returns: SavedRule,
      errors: ['STATE_CONFLICT', 'PLAN_LIMIT_REACHED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
      before: refuseChange,
    },
    changeCommunityRule,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rules/{ruleId}/history',
    {
      id: 'listRuleHistory',
      summary: 'List the changes of a rule',
      description:
        'Returns every change of a rule, newest first: who made it and when, and the rule before and after. A rule that was removed still has its history. For community admins.',
      access: reads,
      params: { communityId, ruleId, ...pageParams },
      returns: pageOf(RuleChange, 'RuleChangePage'),
      paginated: 'token',
    },
    listRuleHistory,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-roles',
    {
      id: 'listRuleRoles',
      summary: 'List roles that rules can give',
      description:
        'Returns the roles of the community as its platform shows them now, with the reason why a rule cannot give some of them. For community admins.',
      access: reads,
      params: { communityId },
      returns: listOf(RuleRole),
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    listRuleRoles,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-drafts/describe',
    {
      id: 'describeRuleDraft',
      summary: 'Describe a rule before saving it',
      description:
        'Returns a draft of a rule as one sentence, how many reads a check takes, and everything that keeps it from being saved. Nothing is saved. For community admins.',
      facts: { needsNoKey: 'Changes nothing.', senderDecides: 'rule' },
      access: reads,
      params: { communityId },
      body: shape(T.Object({ rule: draft })),
      returns: DraftDescription,
      errors: ['VALIDATION_FAILED'],
    },
    describeDraft,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-drafts/try',
    {
      id: 'tryRuleDraft',
      summary: 'Try a rule on a wallet',
      description:
        'Evaluates a draft of a rule for a wallet address or for a member, and returns why, condition by condition. Reads chains while you wait; nothing is saved or changed. Amounts are shown for an address only. For community admins.',
      facts: {
        needsNoKey: 'Changes nothing.',
        senderDecides: 'rule account userId',
        idsOfNobody: { userId: 'Looked for among the members of the community that admits the caller.' },
      },
      access: checks,
      params: { communityId },
      body: record('DraftToTry', 'A draft of a rule, and whom to try it on.', {
        rule: draft,
        account: T.Optional(text('A wallet address, a name such as alice.eth, or evm:1:0x….', { maxLength: 200 })),
        userId: T.Optional(
          text('A member, by the qualified id or the platform’s own one, instead of an account.', {
            minLength: 1,
            maxLength: 128,
          }),
        ),
      }),
      returns: DraftTrial,
      errors: ['UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    tryDraft,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-drafts/preview',
    {
      id: 'previewRuleDraft',
      summary: 'Preview a rule before saving it',
      description:
        'Checks the members of a community as if a draft of a rule were saved, and returns who would gain the role, who would lose it and who could not be checked. With ruleId, the draft takes the place of that rule; without rule, it shows what removing that rule would do. Reads wallets and the platform while you wait; nothing is saved or changed. For community admins.',
      facts: {
        needsNoKey: 'Changes nothing.',
        senderDecides: 'rule ruleId',
      },
      access: checks,
      params: { communityId },
      body: record('DraftToPreview', 'A draft of a rule.', {
        rule: T.Optional(draft),
        ruleId: T.Optional(text('The rule that the draft changes.', { minLength: 1, maxLength: 700 })),
      }),
      returns: DraftPreview,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    previewDraft,
  ),
  op(
    'GET /latchkey/communities/{communityId}/tokens',
    {
      id: 'findTokens',
      summary: 'Find tokens',
      description:
        'Finds tokens by contract address, by a link to a marketplace or block explorer, or by name or symbol. An address is looked up on every EVM chain that this server reads. For community admins.',
      facts: { idsOfNobody: { chainId: 'A chain.' } },
      access: reads,
      params: {
        communityId,
        search: text('An address, a link or a name.', { minLength: 1, maxLength: 1000 }),
        chainId: T.Optional(
          T.Number({ description: 'Only this EVM chain.', minimum: 1, maximum: 999_999_999_999_999, multipleOf: 1 }),
        ),
      },
      returns: TokenSearch,
    },
    findTokens,
  ),
  op(
    'GET /latchkey/communities/{communityId}/token-picture',
    {
      id: 'getTokenPicture',
      summary: 'Get the picture of a collection',
      description:
        'Returns the picture of the first token of a collection as a data: URL, so that browsers load nothing from other hosts. For community admins.',
      facts: { idsOfNobody: { chainId: 'A chain.' } },
      access: reads,
      params: {
        communityId,
        chainId: T.Number({
          description: 'The EVM chain.',
          minimum: 1,
          maximum: 999_999_999_999_999,
          multipleOf: 1,
        }),
        contractAddress: text('The contract of the collection.', { maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$' }),
      },
      returns: TokenPicture,
    },
    getTokenPicture,
  ),
] as const;
