import type { PlatformName } from '@latchkey/kernel/chat-platforms';
import {
  type Icon,
  IconBrandDiscord,
  IconBrandReddit,
  IconBrandTelegram,
  IconUsersGroup,
} from '../../shared/icons.tsx';

const marks: Readonly<Partial<Record<PlatformName, Icon>>> = {
  discord: IconBrandDiscord,
  telegram: IconBrandTelegram,
  reddit: IconBrandReddit,
};

/** The mark of a chat platform, beside its name. */
export function PlatformMark({ platform }: { platform: PlatformName }) {
  const Mark = marks[platform] ?? IconUsersGroup;
  return <Mark size={28} stroke={1.5} aria-hidden="true" />;
}
