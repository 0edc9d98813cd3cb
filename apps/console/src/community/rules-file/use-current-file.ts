import { useQuery } from '@tanstack/react-query';
import { useOperation } from '../../shared/api/index.ts';

/** The evaluator and the writer of files. They are large, so no other page loads them. */
export const loadEvaluator = () => import('../../rules-file/evaluator.ts');

/** The file that `latchkey rules pull` writes for the rules as they are now. */
export function useCurrentFile(communityId: string) {
  const ruleSet = useOperation('GET /latchkey/communities/{communityId}/rule-set', { communityId });
  return useQuery({
    queryKey: ['rules file', communityId, ruleSet.dataUpdatedAt, ruleSet.errorUpdatedAt],
    queryFn: async () => {
      if (ruleSet.data === undefined) throw ruleSet.error;
      return (await loadEvaluator()).newFile(ruleSet.data);
    },
    enabled: !ruleSet.isPending,
    retry: false,
  });
}
