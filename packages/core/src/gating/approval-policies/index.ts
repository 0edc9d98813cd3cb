import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { approvalPolicyOperations } from './operations.ts';

export { ApprovalPolicyBody, policyOf, putPolicy, readOwnPolicy, refuseBadPolicy } from './operations.ts';
export { type ApprovalPolicy, quietUntil, type RemovalLimits } from './policy.ts';
export { readApprovalPolicy } from './read-policy.ts';

export const approvalPoliciesModule = defineModule('approval-policies', {
  resources: [ownOperations(approvalPolicyOperations)],
  tables: ['approval_policies', 'role_approval_policies'],
});
