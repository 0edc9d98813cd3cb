import { listOf, op, optional, record, T, text } from '@latchkey/kernel';
import { communityAdmin, communityRuler } from '../../communities/communities/index.ts';
import { applyRuleImport } from './apply-import.ts';
import { getRuleImport, listRuleImports } from './reads.ts';
import { NewRuleImport, RuleImport } from './shapes.ts';
import { startRuleImport } from './start-import.ts';

const reads = communityAdmin('communityId', 'community:read');
const writes = communityRuler('communityId', 'community:write');

const communityId = text('The id of the community, for example DIS#COMM#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});
const importId = text('The id of the import.', { minLength: 1, maxLength: 64 });

export const ruleImportOperations = [
  op(
    'POST /latchkey/communities/{communityId}/rule-imports',
    {
      id: 'startRuleImport',
      summary: 'Preview rules from another service',
      description:
        'Reads rules from an export, or from the API of the original, and returns what each would be here: which can be switched on, which have no equivalent and why. No rule is created and no role changes. The last 20 imports of a community are kept. For community admins.',
      facts: {
        needsNoKey: 'A second import is a second preview; no rule comes of it.',
        senderDecides: 'source content original roles',
        idsOfNobody: {
          communityId: 'A community of another service.',
          roleId: 'A role of the community that admits the caller.',
        },
      },
      access: writes,
      params: { communityId },
      body: NewRuleImport,
      returns: RuleImport,
      errors: ['UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    startRuleImport,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-imports',
    {
      id: 'listRuleImports',
      summary: 'List imports of rules',
      description:
        'Returns the last 20 imports of a community, newest first, without their entries. For community admins.',
      access: reads,
      params: { communityId },
      returns: listOf(RuleImport),
    },
    listRuleImports,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-imports/{importId}',
    {
      id: 'getRuleImport',
      summary: 'Get an import of rules',
      description: 'Returns an import with every rule that was found, and what became of it. For community admins.',
      access: reads,
      params: { communityId, importId },
      returns: RuleImport,
    },
    getRuleImport,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-imports/{importId}/apply',
    {
      id: 'applyRuleImport',
      summary: 'Turn on imported rules',
      description:
        'Creates rules from the entries of an import that are ready: from all of them, or from those that positions names. What they change becomes a role plan; a plan that takes a role from many members waits for approval. An entry that is refused does not stop the others, and applying twice creates nothing twice. For community admins.',
      audit: 'rules.import',
      facts: { needsNoKey: 'An entry becomes one rule, however often it is applied.', senderDecides: 'positions' },
      access: writes,
      params: { communityId, importId },
      body: optional(
        record('RuleImportChoice', 'Which entries to switch on.', {
          positions: T.Optional(
            T.Array(T.Number({ description: 'The position of an entry.', minimum: 0, multipleOf: 1 }), {
              description: 'Leave it out for all entries that are ready.',
              maxItems: 1000,
            }),
          ),
        }),
      ),
      returns: RuleImport,
      errors: ['UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    applyRuleImport,
  ),
] as const;
