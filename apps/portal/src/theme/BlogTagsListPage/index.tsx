import { PageMetadata } from '@docusaurus/theme-common';
import type { Props } from '@theme/BlogTagsListPage';
import BlogTagsListPage from '@theme-original/BlogTagsListPage';

export default function DescribedBlogTagsListPage(props: Props) {
  return (
    <>
      <BlogTagsListPage {...props} />
      <PageMetadata description="Every subject that posts of the Latchkey blog are about, with the number of posts on each." />
    </>
  );
}
