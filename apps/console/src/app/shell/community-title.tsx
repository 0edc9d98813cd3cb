import { useOperation } from '../../shared/api/index.ts';
import { Picture } from '../../shared/ui/index.ts';
import styles from './shell.module.css';

/** Which community the screens below are about. */
export function CommunityTitle({ communityId }: { communityId: string }) {
  const { data } = useOperation('GET /latchkey/communities/{communityId}/profile', { communityId });
  if (data === undefined) return <p className={styles.groupTitle}>This community</p>;
  return (
    <p className={styles.community} title={data.name}>
      <Picture source={data.picture} name={data.name} size={24} />
      <span>{data.name}</span>
    </p>
  );
}
