import { feature } from '../../feature.ts';
import { pictureJobs, pictureSchedules } from './jobs.ts';

export const picturesFeature = feature('pictures', {
  jobs: pictureJobs,
  schedules: pictureSchedules,
  tables: ['community_pictures'],
});
