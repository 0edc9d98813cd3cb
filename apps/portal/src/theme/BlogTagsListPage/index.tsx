import { PageMetadata } from '@docusaurus/theme-common';
import type { Props } from '@theme/BlogTagsListPage';
import BlogTagsListPage from '@theme-original/BlogTagsListPage';

export default function DescribedBlogTagsListPage(props: Props) {
  return (
    <>
      <BlogTagsListPage {...props} />
      <PageMetadata description="All topics of the Latchkey blog, with the number of posts on each." />
    </>
  );
}
