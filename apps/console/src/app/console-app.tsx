import { ApiError } from '@latchkey/client';
import type { ConsolePage } from '@latchkey/kernel';
import {
  Alert,
  Button,
  createTheme,
  defaultVariantColorsResolver,
  MantineProvider,
  PasswordInput,
} from '@mantine/core';
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
  lazyRouteComponent,
  parseSearchWith,
  RouterProvider,
  stringifySearchWith,
} from '@tanstack/react-router';
import { type ReactNode, useCallback, useContext, useRef, useState } from 'react';
import { LoginMethods } from '../login/login-page.tsx';
import mark from '../mark.svg';
import { askAsConsole, readRefusal } from '../shared/api/client.ts';
import { ask, PresenceContext, pauseBeforeRetry, SignedOut } from '../shared/api/index.ts';
import { type ConsoleSession, SessionContext } from '../shared/session.ts';
import { Choices, Dialog, EmptyState, Failure, Form, Loading, Page } from '../shared/ui/index.ts';
import parts from './mantine-parts.module.css';
import { PageContext, sessionKey } from './page-context.ts';
import { screens } from './screens.ts';
import { Shell } from './shell/shell.tsx';
import styles from './sign-in.module.css';

const freshMs = 30_000;

/** The whole console: who is signed in, what is kept of the server's answers, and the screen that the address names. */
export function ConsoleApp({ data }: { data: ConsolePage }) {
  const [queries] = useState(createQueries);
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
  // Whichever call finds the session over, the page asks who is signed in: nothing that was typed is lost over it.
  const onError = (error: unknown) => {
    if (error instanceof SignedOut) void queries.invalidateQueries({ queryKey: sessionKey });
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        // A server that is away for a moment is asked again; what it refuses, it refuses.
        retry: (failures, error) => failures < 1 && pauseBeforeRetry(error) !== undefined,
        retryDelay: (_failures, error) => pauseBeforeRetry(error) ?? 0,
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
  return queries;
}

/** Asks for a fresh sign-in when the server wants one, over the page, and lets what asked for it go on. */
function PresenceProvider({ children }: { children: ReactNode }) {
  const [asking, setAsking] = useState<(did: boolean) => void>();
  const confirm = useCallback(() => new Promise<boolean>((resolve) => setAsking(() => resolve)), []);
  const end = (did: boolean) => {
    asking?.(did);
    setAsking(undefined);
  };
  return (
    <PresenceContext value={confirm}>
      {children}
      <Dialog isOpen={asking !== undefined} title="Is it you?" onClose={() => end(false)}>
        <p>This changes who has power here, so sign in again first. Then it continues automatically.</p>
        <SignIn onDone={() => end(true)} />
      </Dialog>
    </PresenceContext>
  );
}

/** What Mantine computes itself; its colours come from theme.css. */
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
    // By name, since importing them would bring them all to the first page.
    Checkbox: { classNames: { icon: parts.tick } },
    Code: { classNames: { root: parts.code } },
    Input: { classNames: { wrapper: parts.field } },
    Radio: { classNames: { icon: parts.tick } },
    SegmentedControl: {
      classNames: { root: parts.segments, indicator: parts.segment, label: parts.segmentLabel },
    },
  },
});

/** Makes the router: each screen is loaded when somebody goes there, or points at a link to it. */
function createConsoleRouter() {
  const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });
  const routes = screens.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, 'View') }),
  );
  return createRouter({
    routeTree: root.addChildren(routes),
    basepath: '/console',
    parseSearch: parseSearchWith(readValue),
    stringifySearch: stringifySearchWith(JSON.stringify, readValue),
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: () => <Loading what="the page" />,
    // A screen whose file cannot be fetched, or that fails, leaves the navigation standing.
    defaultErrorComponent: ({ error, reset }) => <Failure error={error} onRetry={reset} />,
  });
}

/** Numbers in addresses are ids, which are longer than JavaScript can count: they stay texts. */
function readValue(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'number') throw new TypeError('Ids are texts.');
  return value;
}

function NotFound() {
  return (
    <Page title="Page not found">
      <EmptyState
        title="Nothing is at this address"
        action={
          <Button component="a" href="/console" variant="default">
            Go to the start
          </Button>
        }
      >
        The link may be old, or a letter may be missing.
      </EmptyState>
    </Page>
  );
}

/** Asks who is signed in, and shows the way in to whoever is not. */
function SessionGate({ children }: { children: ReactNode }) {
  const { data, error, isLoading, refetch } = useQuery({
    queryKey: sessionKey,
    queryFn: ({ signal }) => findSession(signal),
  });
  const last = useLastSession(data);
  if (isLoading) return <Loading what="the console" />;
  if (data === undefined) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === null && last === undefined) return <SignInScreen />;
  return (
    <SessionContext value={data ?? last}>
      {data === null && <SignedOutNotice />}
      {children}
    </SessionContext>
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

/** Who was signed in before the session ended: their screen stays, with what they typed, until they sign in again. */
function useLastSession<Session>(session: Session | null | undefined): Session | undefined {
  const last = useRef<Session>(undefined);
  if (session !== null && session !== undefined) last.current = session;
  return last.current;
}

/** The session has ended while somebody was at work: they sign in again over the page, which stays as it is. */
function SignedOutNotice() {
  return (
    <Dialog title="Your session is over">
      <p>Sign in again to continue. What you have typed is still there.</p>
      <SignIn />
    </Dialog>
  );
}

/** The first page of the console, for whoever is not signed in. */
function SignInScreen() {
  const { server } = useContext(PageContext);
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <img src={mark} alt="" width="40" height="40" />
        <h1>Sign in to {server}</h1>
        <p>See your roles and why you have them, run your communities, build on the API.</p>
        <SignIn />
      </div>
      <p className={styles.fine}>
        Latchkey never asks for a recovery phrase, a private key or a payment. Anyone who does is trying to steal from
        you.
      </p>
    </main>
  );
}

/** The ways to sign in to the console. A wallet, a passkey or a key opens a session here; a chat platform leads away. */
function SignIn({ onDone }: { onDone?: () => void }) {
  const { methods } = useContext(PageContext);
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const open = async (headers: Record<string, string>) => {
    setError(undefined);
    try {
      await openSession(headers);
      await queries.invalidateQueries({ queryKey: sessionKey });
      onDone?.();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Choices>
      <LoginMethods methods={methods} slug="console" onToken={(token) => void open({ authorization: `AE ${token}` })} />
      {isLimited(error) ? (
        <Alert role="alert" color="yellow" title="This does not sign in to the console">
          It was made on a page that a bot linked to, and is good for linking wallets and for other apps. Sign in with a
          wallet or a chat account, then add a passkey under My account.
        </Alert>
      ) : (
        <Failure error={error} />
      )}
      <OperatorKey onKey={(key) => open({ 'x-api-key': key })} />
    </Choices>
  );
}

/** A passkey can do no more than whoever made it could, and a link that a bot gave cannot do everything. */
function isLimited(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'SCOPE_NOT_ALLOWED';
}

/** Turns a credential into the session of this browser. The answer sets the cookie, which no script can read. */
async function openSession(headers: Record<string, string>): Promise<void> {
  const response = await askAsConsole('/latchkey/session', { method: 'POST', headers });
  if (!response.ok) throw await readRefusal(response);
}

/** The operator's way in: a key that the command line made. */
function OperatorKey({ onKey }: { onKey(key: string): Promise<void> }) {
  const [key, setKey] = useState('');
  const [isSending, setIsSending] = useState(false);
  const send = async () => {
    setIsSending(true);
    await onKey(key.trim());
    setIsSending(false);
  };
  return (
    <details>
      <summary>I run this server</summary>
      <Form
        submit="Sign in as operator"
        isQuiet
        action={{ isRunning: isSending, error: null }}
        canSubmit={key.trim() !== ''}
        onSubmit={() => void send()}
      >
        <PasswordInput
          label="Operator key"
          description="Created with: latchkey admin-key create"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </Form>
    </details>
  );
}
