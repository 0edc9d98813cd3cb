import { useLive } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Page } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { Export } from './export.tsx';
import { FileTests } from './file-tests.tsx';
import { Source } from './source.tsx';

/** The rules as a file: where they come from and whether they are locked to it, the file as it would be now, and the tests of a file. */
export function View() {
  const { communityId } = useScreenParams('communityId');
  useLive({ communityId });
  return (
    <Page
      title={t('rulesFile.title')}
      lead={t('rulesFile.lead')}
      crumbs={[{ title: t('rulesFile.rules'), to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
    >
      <Source communityId={communityId} />
      <Export communityId={communityId} />
      <FileTests communityId={communityId} />
    </Page>
  );
}
