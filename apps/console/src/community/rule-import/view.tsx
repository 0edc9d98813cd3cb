import { useLive } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { NewImport } from './new-import.tsx';
import { Preview } from './preview.tsx';

export function View() {
  const { communityId, importId } = useScreenParams('communityId', 'importId');
  useLive({ communityId });
  return importId === '' ? (
    <NewImport communityId={communityId} />
  ) : (
    <Preview key={importId} communityId={communityId} importId={importId} />
  );
}
