import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { CopyText, Page, Row, Section } from '../../shared/ui/index.ts';
import { chainWords } from '../../wallets/chains.ts';
import { Answered } from '../answered.tsx';
import { Rows } from '../rows.tsx';
import { platformLabel } from '../say-platform.ts';
import { Erase } from './erase.tsx';
import { Kudos } from './kudos.tsx';
import { Signatures } from './signatures.tsx';

/** One person: wallets, communities, what their hosted wallet signed, thanks, and erasure. */
export function View() {
  const { userId } = useScreenParams('userId');
  const person = useOperation('GET /latchkey/operator/people/{userId}', { userId });
  return (
    <Page
      title={person.data?.name ?? userId}
      lead={person.data?.platform === undefined ? undefined : `On ${platformLabel(person.data.platform)}`}
      crumbs={[{ title: 'People', to: '/operator/people' }]}
    >
      <Stack gap="xl">
        <CopyText text={userId} what="id" />
        <Answered read={person} what="the person">
          {({ wallets, communities }) => (
            <>
              <Section title="Communities">
                {communities.length === 0 ? (
                  <Text c="dimmed">In no community.</Text>
                ) : (
                  <Rows items={communities} keyOf={({ id }) => id}>
                    {({ id, name }) => (
                      <Row
                        title={
                          <Link to="/communities/$communityId" params={{ communityId: id }}>
                            {name}
                          </Link>
                        }
                      />
                    )}
                  </Rows>
                )}
              </Section>
              <Section title="Wallets">
                {wallets.length === 0 ? (
                  <Text c="dimmed">No wallet is linked.</Text>
                ) : (
                  <Rows items={wallets} keyOf={({ namespace, address }) => `${namespace} ${address}`}>
                    {({ namespace, address }) => (
                      <Row title={<CopyText text={address} what="address" />} note={chainWords(namespace).name} />
                    )}
                  </Rows>
                )}
              </Section>
            </>
          )}
        </Answered>
        <Signatures userId={userId} />
        <Kudos userId={userId} />
        <Erase userId={userId} />
      </Stack>
    </Page>
  );
}
