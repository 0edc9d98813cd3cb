import { ActionIcon } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { useContext, useEffect, useState } from 'react';
import mark from '../../mark.svg';
import { IconMenu2, IconX } from '../../shared/icons.tsx';
import { useScreenParams } from '../../shared/screen.ts';
import { useSession } from '../../shared/session.ts';
import { PageContext } from '../page-context.ts';
import { AccountMenu } from './account-menu.tsx';
import { Bell } from './bell.tsx';
import { CommunityTitle } from './community-title.tsx';
import { communityPlaces, operatorPlaces, ownPlaces } from './navigation.ts';
import { PlaceList } from './place-list.tsx';
import styles from './shell.module.css';

/** What stands around every screen: the way around, who is signed in, and what waits for them. */
export function Shell() {
  const { server } = useContext(PageContext);
  const { isOperator, accountId } = useSession();
  const { communityId } = useScreenParams('communityId');
  const [isOpen, setIsOpen] = useState(false);
  const { pathname } = useLocation();
  const isWide = useMediaQuery('(width >= 60rem)', true, { getInitialValueInEffect: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the menu that led there.
  useEffect(() => setIsOpen(false), [pathname]);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#screen">
        Skip to the page
      </a>
      <header className={styles.top}>
        {!isWide && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? <IconX size={20} /> : <IconMenu2 size={20} />}
          </ActionIcon>
        )}
        <Link to="/" className={styles.mark}>
          <img src={mark} alt="" width="28" height="28" />
          <span>{server}</span>
        </Link>
        <div className={styles.end}>
          <Bell />
          <AccountMenu />
        </div>
      </header>
      {(isWide || isOpen) && (
        <nav id="navigation" className={styles.side} aria-label="Console">
          {communityId !== '' && (
            <PlaceList title={<CommunityTitle communityId={communityId} />} places={communityPlaces} />
          )}
          {accountId !== undefined && <PlaceList title={communityId === '' ? undefined : 'You'} places={ownPlaces} />}
          {isOperator && <PlaceList title="Operator" places={operatorPlaces} />}
        </nav>
      )}
      <main id="screen" className={styles.screen} tabIndex={-1}>
        {accountId === undefined && pathname === '/' ? <Navigate to="/operator" replace /> : <Outlet />}
      </main>
    </div>
  );
}
