import Admonition from '@theme/Admonition';
import MDXA from '@theme/MDXComponents/A';
import MDXDetails from '@theme/MDXComponents/Details';
import MDXHeading from '@theme/MDXComponents/Heading';
import MDXImg from '@theme/MDXComponents/Img';
import MDXLi from '@theme/MDXComponents/Li';
import MDXUl from '@theme/MDXComponents/Ul';
import TabItem from '@theme/TabItem';
import Tabs from '@theme/Tabs';
import type { ComponentProps } from 'react';
import { Card, Cards } from '../../components/cards/index.tsx';
import { CodeSample } from '../../components/code-sample/index.tsx';
import { Path } from '../../components/diagrams/path.tsx';
import { Sequence } from '../../components/diagrams/sequence.tsx';
import { LiveContracts } from '../../components/live-contracts/index.tsx';
import { NeedsSetup } from '../../components/needs-setup/index.tsx';
import { Playground } from '../../components/playground/index.tsx';
import { RuleBuilder } from '../../components/rule-builder/index.tsx';
import { Recording, Screenshot } from '../../components/screenshot/index.tsx';

type HeadingProps = Omit<ComponentProps<typeof MDXHeading>, 'as'>;

/** A table wider than the screen scrolls on its own, also by keyboard. */
function Table(props: ComponentProps<'table'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div className="table-scroll" tabIndex={0}>
      <table {...props} />
    </div>
  );
}

/** Components that pages can use without importing them. Code blocks are highlighted at build time: see remark/highlight-code.ts. */
const components = {
  Card,
  Cards,
  CodeSample,
  Details: MDXDetails,
  LiveContracts,
  NeedsSetup,
  Path,
  Playground,
  Recording,
  RuleBuilder,
  Screenshot,
  Sequence,
  TabItem,
  Tabs,
  a: MDXA,
  admonition: Admonition,
  details: MDXDetails,
  h1: (props: HeadingProps) => <MDXHeading as="h1" {...props} />,
  h2: (props: HeadingProps) => <MDXHeading as="h2" {...props} />,
  h3: (props: HeadingProps) => <MDXHeading as="h3" {...props} />,
  h4: (props: HeadingProps) => <MDXHeading as="h4" {...props} />,
  img: MDXImg,
  li: MDXLi,
  table: Table,
  ul: MDXUl,
};

export default components;
