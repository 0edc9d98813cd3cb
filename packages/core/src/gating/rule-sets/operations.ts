import { anyone, NoContent, OpenObject, op, T } from '@latchkey/kernel';
import { adminOrGrantedApp, communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { NewTokenPermissionedChat } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import { rulesFileSchema } from '../rule-files/index.ts';
import { applyBrakes, applyRuleSet } from './apply.ts';
import { getRuleSet, planRuleSet } from './plan.ts';
import { getRuleSetProgress } from './progress.ts';
import {
  AppliedRuleSet,
  BrakesToApply,
  RuleSet,
  RuleSetPlan,
  RuleSetProgress,
  RuleSetSource,
  RuleSetToApply,
  WantedRuleSet,
} from './shapes.ts';
import { getRuleSetSource, lockRuleSet, unlockRuleSet } from './source.ts';

const fileSchema = rulesFileSchema(NewTokenPermissionedChat);

const plans = adminOrGrantedApp('communityId', 'rules:plan', 'rules:apply');
const applies = adminOrGrantedApp('communityId', 'rules:apply');
const brakes = adminOrGrantedApp('communityId', 'rules:brakes');

export const ruleSetOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rule-set',
    {
      id: 'getRuleSet',
      summary: 'Get a community’s rule set',
      description:
        'Returns the rules of a community in the order in which they apply, its guest passes, settings and brakes, the roles on its platform, and two versions, of the rules, passes and settings, and of the brakes. For community admins, and for client applications that an admin granted `rules:plan` or `rules:apply` there.',
      access: plans,
      params: { communityId: communityParam },
      returns: RuleSet,
    },
    getRuleSet,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-set/plan',
    {
      id: 'planRuleSet',
      summary: 'Plan changes to a rule set',
      description:
        'Compares a community with the rule set that it should have. Returns every difference in words, what prevents it from being applied, what can be proven about the changes, and, unless checksMembers is false, who would gain and lose roles. Reads wallets and the platform while you wait; changes nothing. For community admins, and for client applications that an admin granted `rules:plan` or `rules:apply` there.',
      access: plans,
      params: { communityId: communityParam },
      body: WantedRuleSet,
      returns: RuleSetPlan,
      errors: ['VALIDATION_FAILED'],
    },
    planRuleSet,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/rule-set',
    {
      id: 'applyRuleSet',
      summary: 'Apply a rule set',
      description:
        'Makes the rules, guest passes and settings of a community as described, all of them or none; what is already so is not written. Fails with STATE_CONFLICT if something would be written and the rule set is no longer the version that the changes were planned for, or if the community is locked to the key of another application. The resulting role changes become change sets; large removals need approval. For community admins, and for client applications that an admin granted `rules:apply` there.',
      audit: 'rule-set.apply',
      auditedFields: ['unlisted'],
      access: applies,
      params: { communityId: communityParam },
      body: RuleSetToApply,
      returns: AppliedRuleSet,
      errors: ['STATE_CONFLICT', 'PLAN_LIMIT_REACHED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    applyRuleSet,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/rule-set/brakes',
    {
      id: 'applyRuleSetBrakes',
      summary: 'Apply the brakes of a rule set',
      description:
        'Replaces the approval policy of a community. Fails with STATE_CONFLICT if it differs and is no longer the brakesVersion that the change was planned for, or if the community is locked to the key of another application. For community admins who signed in within the last 10 minutes, and for client applications that an admin granted `rules:brakes` there.',
      audit: 'approval-policy.change',
      access: brakes,
      params: { communityId: communityParam },
      body: BrakesToApply,
      readAt: '/latchkey/communities/{communityId}/rule-set',
      returns: AppliedRuleSet,
      errors: ['PRESENCE_REQUIRED', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    applyBrakes,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-set/progress',
    {
      id: 'getRuleSetProgress',
      summary: 'Get the progress of rule changes',
      description:
        'Returns how many members of a community still wait for a check, and the change sets that followed from rule changes. For community admins, and for client applications that an admin granted `rules:plan` or `rules:apply` there.',
      access: plans,
      params: {
        communityId: communityParam,
        firstRuleChangeId: T.Optional(
          T.String({
            description: 'The firstRuleChangeId that applying returned. Without it, no change sets are returned.',
            pattern: '^\\d{1,18}$',
            maxLength: 18,
          }),
        ),
      },
      returns: RuleSetProgress,
    },
    getRuleSetProgress,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-set/source',
    {
      id: 'getRuleSetSource',
      summary: 'Get the source of a rule set',
      description:
        'Returns which file was applied to a community last, whether its rules, settings or brakes were changed elsewhere since, and whether they are locked to the file. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: RuleSetSource,
    },
    getRuleSetSource,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/rule-set/lock',
    {
      id: 'lockRuleSet',
      summary: 'Lock rules to their file',
      description:
        'From then on, only applying a rule set with an API key changes the rules, guest passes, re-check period, approval policy and assertions of a community. Every other change fails with STATE_CONFLICT, also restoring a rule and turning on imported ones. The key is that of the application that applied a rule set last; if none did, the first one that does. Does nothing if it is locked. For community admins.',
      audit: 'rule-set.lock',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      readAt: '/latchkey/communities/{communityId}/rule-set/source',
      returns: NoContent,
    },
    lockRuleSet,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/rule-set/lock',
    {
      id: 'unlockRuleSet',
      summary: 'Unlock rules from their file',
      description:
        'Lets admins change the rules of a community by hand again. Does nothing if it is not locked. For the owner of the community and the admin who locked it, if they signed in within the last 10 minutes.',
      audit: 'rule-set.unlock',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      readAt: '/latchkey/communities/{communityId}/rule-set/source',
      returns: NoContent,
      errors: ['PRESENCE_REQUIRED', 'ROLE_NOT_ALLOWED'],
    },
    unlockRuleSet,
  ),
  op(
    'GET /latchkey/rule-files/schema',
    {
      id: 'getRuleFileSchema',
      summary: 'Get the schema of rule files',
      description:
        'Returns the JSON Schema of latchkey.yaml, with which editors complete and check it. Open to everyone.',
      access: anyone,
      returns: OpenObject,
    },
    () => fileSchema,
  ),
] as const;
