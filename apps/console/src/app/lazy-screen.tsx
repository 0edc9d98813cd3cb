import { Button, Group } from '@mantine/core';
import { type ErrorComponentProps, type RouteComponent, useRouter } from '@tanstack/react-router';
import { use, useEffect, useEffectEvent, useRef } from 'react';
import { isLoadFailure } from '../reach-server.ts';
import { askAsConsole } from '../shared/api/client.ts';
import { connection, useConnectionState } from '../shared/connection/connection.ts';
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

/**
 * A screen that is loaded when it is opened. The router's own lazy component reloads the page when a file is missing, which leads to the
 * browser's error page while the server is unavailable, and caches a failure forever.
 */
export function lazyScreen(load: Screen['load']): RouteComponent {
  let loading: ReturnType<Screen['load']> | undefined;
  let loaded: Awaited<ReturnType<Screen['load']>> | undefined;
  const start = () => {
    loading ??= load().catch((error: unknown) => {
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

/** Explains why the files are missing: the server is unavailable, or serves a newer version without them. */
function NotLoaded({ error }: { error: ScreenNotLoaded }) {
  const router = useRouter();
  const state = useConnectionState();
  const isAway = state === 'away' || state === 'offline';
  const retry = () => {
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
  return (
    <Page title={t('notLoaded.title')}>
      <EmptyState
        title={t(isAway ? 'notLoaded.away' : 'notLoaded.outdated')}
        action={
          <Group gap="xs">
            {!isAway && <Button onClick={() => location.reload()}>{t('common.reload')}</Button>}
            <Button variant="default" onClick={retry}>
              {t('common.tryAgain')}
            </Button>
          </Group>
        }
      >
        {t(isAway ? 'notLoaded.awayWhy' : 'notLoaded.outdatedWhy')}
      </EmptyState>
    </Page>
  );
}
