import { chatPlatforms, isAble, platformNames } from '@latchkey/kernel/chat-platforms';
import { ActionIcon } from '@mantine/core';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { IconChevronDown } from '../../shared/icons.ts';
import { List, Row, Section } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

const order = 'GET /latchkey/communities/{communityId}/tag-order';

/** Which tags come first, where rules give at least two. */
export function TagOrder({ communityId }: { communityId: string }) {
  return hasTags(communityId) ? <Tags communityId={communityId} /> : null;
}

function Tags({ communityId }: { communityId: string }) {
  const tags = useOperation(order, { communityId }).data?.tags ?? [];
  const save = useAction('PUT /latchkey/communities/{communityId}/tag-order', {
    done: t('tags.saved'),
    changes: [order],
  });
  if (tags.length < 2) return null;
  const swap = (place: number) => {
    const roleIds = tags.map(({ roleId }) => roleId);
    roleIds.splice(place, 2, ...roleIds.slice(place, place + 2).toReversed());
    save.run({ communityId, body: { roleIds } });
  };
  return (
    <Section title={t('tags.title')} lead={t('tags.lead')}>
      <List items={tags} keyOf={({ roleId }) => roleId}>
        {({ roleId, tag, rules: count }) => {
          const place = tags.findIndex((one) => one.roleId === roleId);
          return (
            <Row
              title={<bdi>{tag}</bdi>}
              note={t('tags.rules', { count })}
              actions={
                <>
                  <ActionIcon
                    variant="default"
                    aria-label={t('tags.up', { tag })}
                    disabled={place === 0 || save.isRunning}
                    onClick={() => swap(place - 1)}
                  >
                    <IconChevronDown size={18} style={{ rotate: '180deg' }} />
                  </ActionIcon>
                  <ActionIcon
                    variant="default"
                    aria-label={t('tags.down', { tag })}
                    disabled={place === tags.length - 1 || save.isRunning}
                    onClick={() => swap(place)}
                  >
                    <IconChevronDown size={18} />
                  </ActionIcon>
                </>
              }
            />
          );
        }}
      </List>
    </Section>
  );
}

function hasTags(communityId: string): boolean {
  const platform = platformNames.find((name) => communityId.startsWith(`${chatPlatforms[name].prefix}#`));
  return platform !== undefined && isAble(platform, 'memberTags');
}
