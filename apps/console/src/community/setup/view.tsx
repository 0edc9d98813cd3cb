import { Alert, Button } from '@mantine/core';
import { platformName } from '../../parts/names.ts';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { IconPlugConnectedX, IconRefresh } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { Failure, Loading, Page, Section, State, Time, type Tone } from '../../shared/ui/index.ts';
import { useOnReturn } from '../../shared/use-on-return.ts';
import { CheckList } from './check-list.tsx';
import { FirstRule } from './first-rule.tsx';

type Setup = Answer<'GET /latchkey/communities/{communityId}/setup'>;

export function View() {
  const { communityId } = useScreenParams('communityId');
  const health = useOperation('GET /latchkey/communities/{communityId}/health', { communityId });
  const setup = useOperation('GET /latchkey/communities/{communityId}/setup', { communityId });
  const { isLive } = useLive({ communityId });
  useOnReturn(() => void setup.refetch());
  return (
    <Page
      title="Setup"
      lead="What the bot needs to give roles. Fix what is marked; this page notices when you are done."
      crumbs={[
        { title: 'Home', to: '/' },
        { title: health.data?.name ?? 'Community', to: `/communities/${encodeURIComponent(communityId)}` },
      ]}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} aria-hidden="true" />}
          loading={setup.isFetching}
          onClick={() => void setup.refetch()}
        >
          Check again
        </Button>
      }
    >
      {setup.isPending && <Loading what="the checklist" lines={5} />}
      <Failure error={setup.error} onRetry={() => void setup.refetch()} />
      {setup.data !== undefined && <Findings setup={setup.data} isLive={isLive} />}
      <FirstRule communityId={communityId} />
    </Page>
  );
}

const words: Readonly<Record<Setup['state'], { tone: Tone; text: string }>> = {
  ready: { tone: 'good', text: 'Everything is in place' },
  incomplete: { tone: 'warn', text: 'Roles work; some messages do not' },
  broken: { tone: 'bad', text: 'Roles cannot be given yet' },
  unknown: { tone: 'plain', text: 'Could not be checked' },
};

function Findings({ setup, isLive }: { setup: Setup; isLive: boolean }) {
  const { state, checks, checkedTime, problem, platform } = setup;
  const { tone, text } = words[state];
  return (
    <Section
      title="Checklist"
      lead={
        <>
          Checked <Time at={checkedTime} isRelative />.{!isLive && ' The live connection is down; check again by hand.'}
        </>
      }
      actions={<State tone={tone}>{text}</State>}
    >
      {state === 'unknown' && (
        <Alert
          color="gray"
          title={`${platformName(platform)} could not be asked`}
          icon={<IconPlugConnectedX aria-hidden="true" />}
        >
          {problem} This says nothing about your setup. Try again in a minute.
        </Alert>
      )}
      <CheckList checks={checks} />
    </Section>
  );
}
