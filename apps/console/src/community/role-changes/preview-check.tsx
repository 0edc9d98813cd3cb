import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../../shared/api/index.ts';
import { Failure } from '../../shared/ui/index.ts';

const preview = 'POST /latchkey/communities/{communityId}/change-sets';

/** Shows what a check of all members would change, as a change set that is written only if it is approved. */
export function usePreviewCheck(communityId: string) {
  const navigate = useNavigate();
  const check = useAction(preview, {
    changes: ['GET /latchkey/communities/{communityId}/change-sets'],
    onDone: ({ id }) =>
      void navigate({
        to: '/communities/$communityId/role-changes/$changeSetId',
        params: { communityId, changeSetId: id },
      }),
  });
  return {
    button: (
      <Button variant="default" loading={check.isRunning} onClick={() => check.run({ communityId, body: {} })}>
        Preview a check
      </Button>
    ),
    failure: <Failure error={check.error} />,
  };
}
