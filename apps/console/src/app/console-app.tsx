import type { ConsolePage } from '@latchkey/kernel';
import { Button, createTheme, defaultVariantColorsResolver, MantineProvider } from '@mantine/core';
import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  parseSearchWith,
  RouterProvider,
  stringifySearchWith,
} from '@tanstack/react-router';
import { type ReactNode, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { signedInPath } from '../login/signed-in-path.ts';
import mark from '../mark.svg';
import { ask, PresenceContext, pauseBeforeRetry, SignedOut } from '../shared/api/index.ts';
import { ConnectionBanner } from '../shared/connection/banner.tsx';
import { connection } from '../shared/connection/connection.ts';
import { t } from '../shared/messages/index.ts';
import { type ConsoleSession, SessionContext } from '../shared/session.ts';
import { Dialog, EmptyState, Failure, Loading, Page } from '../shared/ui/index.ts';
import { Toasts } from '../shared/ui/toasts.tsx';
import { lazyScreen, ScreenFailure } from './lazy-screen.tsx';
import parts from './mantine-parts.module.css';
import { PageContext, sessionKey, signIns } from './page-context.ts';
import { screens } from './screens.ts';
import { Shell } from './shell/shell.tsx';
import styles from './sign-in.module.css';
import type { SignInProps } from './sign-in.tsx';

const freshMs = 30_000;

/** The whole console: the session, the cached responses, and the screen for the URL. */
export function ConsoleApp({ data }: { data: ConsolePage }) {
  const [queries] = useState(createQueries);
  useState(() => connection.startWith(data.build));
  const [router] = useState(createConsoleRouter);
  return (
    <MantineProvider
      theme={mantineTheme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <QueryClientProvider client={queries}>
        <PageContext value={data}>
          <Toasts />
          <SessionGate>
            <PresenceProvider>
              <RouterProvider router={router} />
            </PresenceProvider>
          </SessionGate>
        </PageContext>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function createQueries(): QueryClient {
  // Any call may find that the session has ended. The page then checks who is signed in, and keeps what was typed.
  const onError = (error: unknown) => {
    if (error instanceof SignedOut) void queries.invalidateQueries({ queryKey: sessionKey });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        // A server that is briefly unavailable is retried; refusals are final.
        retry: (failures, error) => failures < 1 && pauseBeforeRetry(error) !== undefined,
        retryDelay: (_failures, error) => pauseBeforeRetry(error) ?? 0,
        refetchOnWindowFocus: true,
        // Offline requests fail with a message, instead of waiting silently.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queries;
}

/** Opens a sign-in dialog over the page when the server requires a fresh sign-in, and then lets the action continue. */
function PresenceProvider({ children }: { children: ReactNode }) {
  const [asking, setAsking] = useState<(did: boolean) => void>();
  const confirm = useCallback(() => new Promise<boolean>((resolve) => setAsking(() => resolve)), []);
  const queries = useQueryClient();
  // The server may be away when the session has ended.
  useEffect(() => void queries.prefetchQuery(signInPart), [queries]);
  const end = (did: boolean) => {
    asking?.(did);
    setAsking(undefined);
  };
  return (
    <PresenceContext value={confirm}>
      {children}
      <Dialog isOpen={asking !== undefined} title={t('session.isItYou')} onClose={() => end(false)}>
        <p>{t('session.isItYouWhy')}</p>
        <SignIn isOverPage onDone={() => end(true)} />
      </Dialog>
    </PresenceContext>
  );
}

/** What Mantine computes itself; its colors come from theme.css. */
const mantineTheme = createTheme({
  primaryColor: 'green',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== 'filled') return colors;
    return { ...colors, color: input.color === 'red' ? 'var(--card)' : 'var(--on-accent)' };
  },
  components: {
    // By name, because importing them would load them all with the first page.
    Button: { classNames: { root: parts.button, label: parts.buttonLabel } },
    Checkbox: { classNames: { icon: parts.tick } },
    Code: { classNames: { root: parts.code } },
    Input: { classNames: { wrapper: parts.field } },
    Radio: { classNames: { icon: parts.tick } },
    SegmentedControl: {
      classNames: {
        root: parts.segments,
        control: parts.segmentPart,
        indicator: parts.segment,
        label: parts.segmentLabel,
      },
    },
  },
});

/** Creates the router: each screen is loaded when it is opened, or when the pointer rests on a link to it. */
function createConsoleRouter() {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
  const routes = screens.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyScreen(load) }),
  );
  return createRouter({
    routeTree: root.addChildren(routes),
    basepath: '/console',
    parseSearch: parseSearchWith(readValue),
    stringifySearch: stringifySearchWith(JSON.stringify, readValue),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: () => <Loading text={t('loading.page')} />,
    // A screen whose file cannot be loaded, or that fails, does not affect the navigation.
    defaultErrorComponent: ScreenFailure,
  });
}

/** Numbers in URLs are ids that exceed JavaScript's safe integers, so they stay strings. */
function readValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') throw new TypeError('Ids are texts.');
  return value;
}

function NotFound() {
  return (
    <Page title={t('notFound.title')}>
      <EmptyState
        title={t('notFound.what')}
        action={
          <Button component="a" href="/console" variant="default">
            {t('common.goHome')}
          </Button>
        }
      >
        {t('notFound.why')}
      </EmptyState>
    </Page>
  );
}

/** Checks who is signed in, and shows the sign-in page to everyone else. */
function SessionGate({ children }: { children: ReactNode }) {
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => findSession(signal),
  });
  const last = useLastSession(data);
  if (isLoading || data === undefined)
    return (
      <main className={styles.screen}>
        <ConnectionBanner />
        {isLoading ? <Loading text={t('loading.console')} /> : <Failure error={error} onRetry={() => void refetch()} />}
      </main>
    );
  if (data === null && last === undefined) return <SignInScreen />;
  if (data !== null && location.pathname === signedInPath) return <SignedInTab />;
  return (
    <SessionContext value={data ?? last}>
      {data === null && <SignedOutNotice />}
      {children}
    </SessionContext>
  );
}

/** Shown in a tab that was opened only to sign in: the page it was opened from continues. */
function SignedInTab() {
  useEffect(() => {
    signIns.postMessage('signed in');
    window.close();
  }, []);
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <h1>{t('signIn.doneTitle')}</h1>
        <p>{t('signIn.done')}</p>
        <a href="/console">{t('signIn.openHere')}</a>
      </div>
    </main>
  );
}

async function findSession(signal: AbortSignal): Promise<ConsoleSession | null> {
  try {
    return await ask('GET /latchkey/session', {}, signal);
  } catch (error) {
    if (error instanceof SignedOut) return null;
    throw error;
  }
}

/** Returns the session from before it ended: its screen stays, with what was typed, until the user signs in again. */
function useLastSession<Session>(session: Session | null | undefined): Session | undefined {
  const last = useRef<Session>(undefined);
  if (session !== null && session !== undefined) last.current = session;
  return last.current;
}

/** The session ended while the page was in use: the user signs in again over the page, which keeps what they typed. */
function SignedOutNotice() {
  return (
    <Dialog title={t('session.endedTitle')}>
      <p>{t('session.endedLead')}</p>
      <SignIn isOverPage />
    </Dialog>
  );
}

/** The first page of the console, for users who are not signed in. */
function SignInScreen() {
  const { server } = useContext(PageContext);
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <img src={mark} alt="" width="40" height="40" />
        <h1>{t.rich('signIn.title', { server: <bdi key="server">{server}</bdi> })}</h1>
        <p>{t('signIn.lead')}</p>
        <SignIn />
      </div>
      <p className={styles.fine}>{t('signIn.safety')}</p>
    </main>
  );
}

const signInPart = {
  queryKey: ['the ways to sign in'],
  queryFn: () => import('./sign-in.tsx'),
  staleTime: Number.POSITIVE_INFINITY,
} as const;

/** The ways to sign in, with the code of wallets and passkeys, which a signed-in user does not need at first. */
function SignIn(props: SignInProps) {
  const { data: part, error, refetch } = useQuery(signInPart);
  if (part !== undefined) return <part.SignIn {...props} />;
  return error === null ? (
    <Loading text={t('loading.page')} />
  ) : (
    <Failure error={error} onRetry={() => void refetch()} />
  );
}
