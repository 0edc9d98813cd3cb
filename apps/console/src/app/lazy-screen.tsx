import { Button, Group } from '@mantine/core';
import { type ErrorComponentProps, type RouteComponent, useRouter } from '@tanstack/react-router';
import { use, useEffect, useEffectEvent, useRef } from 'react';
import { isLoadFailure } from '../reach-server.ts';
import { askAsConsole, whileNoticingSilence } from '../shared/api/client.ts';
import { connection, isLost, useConnectionState } from '../shared/connection/connection.ts';
import { t } from '../shared/messages/index.ts';
import type { Screen } from '../shared/screen.ts';
import { EmptyState, Failure, Page } from '../shared/ui/index.ts';

/** The files of a screen could not be loaded. */
class ScreenNotLoaded extends Error {
  /** Makes the next attempt load them again. */
  readonly forget: () => void;

  constructor(cause: unknown, forget: () => void) {
    super('The screen could not be loaded.', { cause });
    this.forget = forget;
  }
}

/** The files of a screen did not arrive. The browser waits for them for ever, also when they are asked for again. */
class NeverArrived extends Error {}

const patienceMs = 30_000;

async function withinTime<Result>(loading: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NeverArrived('The files of the screen did not arrive.')), patienceMs);
  });
  return Promise.race([loading, late]).finally(() => clearTimeout(timer));
}

/**
 * A screen that is loaded when it is opened. The router's own lazy component reloads the page when a file is missing, which leads to the
 * browser's error page while the server is unavailable, and caches a failure forever.
 */
export function lazyScreen(load: Screen['load']): RouteComponent {
  let loading: ReturnType<Screen['load']> | undefined;
  let loaded: Awaited<ReturnType<Screen['load']>> | undefined;
  const start = () => {
    loading ??= whileNoticingSilence(withinTime(load())).catch((error: unknown) => {
      throw new ScreenNotLoaded(error, () => {
        loading = undefined;
      });
    });
    return loading;
  };
  function LazyScreen() {
    loaded ??= use(start());
    const { View } = loaded;
    return <View />;
  }
  const preload = () =>
    start().then(
      () => undefined,
      // The failure is shown when the screen is opened, which also retries.
      (error: ScreenNotLoaded) => error.forget(),
    );
  return Object.assign(LazyScreen, { preload });
}

/** Replaces a screen that failed. The navigation around it stays. */
export function ScreenFailure({ error, reset }: ErrorComponentProps) {
  if (error instanceof ScreenNotLoaded) return <NotLoaded error={error} />;
  return (
    <Page title={t('notLoaded.failed')}>
      <Failure error={error} onRetry={reset} />
    </Page>
  );
}

/** Explains why the files are missing: the server is unavailable or slow, or serves a newer version without them. */
function NotLoaded({ error }: { error: ScreenNotLoaded }) {
  const router = useRouter();
  const state = useConnectionState();
  const isAway = isLost(state);
  const isLate = error.cause instanceof NeverArrived;
  const retry = () => {
    if (isLate) return location.reload();
    error.forget();
    void router.invalidate();
  };
  const wasAway = useRef(false);
  const retryNow = useEffectEvent(retry);
  useEffect(() => {
    if (wasAway.current && !isAway) retryNow();
    wasAway.current = isAway;
  }, [isAway]);
  useEffect(() => {
    // A server that responds here but does not have the file serves another version.
    askAsConsole('/latchkey/session').then(
      () => isLoadFailure(error.cause) && connection.outdated(),
      () => undefined,
    );
  }, [error]);
  const kind = state === 'silent' || isLate ? 'silent' : isAway ? 'away' : 'outdated';
  return (
    <Page title={t('notLoaded.title')}>
      <EmptyState
        title={t(`notLoaded.${kind}`)}
        action={
          <Group gap="xs">
            {!isAway && <Button onClick={() => location.reload()}>{t('common.reload')}</Button>}
            <Button variant="default" onClick={retry}>
              {t('common.tryAgain')}
            </Button>
          </Group>
        }
      >
        {t(`notLoaded.${kind}Why`)}
      </EmptyState>
    </Page>
  );
}
