import { join } from 'node:path';
import { validRange } from 'semver';
import { z } from 'zod';
import { repository } from '../core/paths.js';
import { TRADES } from '../model/tune.js';
import { yamlFile } from '../plan/values.js';

/** The catalogue of settings. */
export const SETTINGS_FILE = join(repository, 'capacity', 'tune', 'settings.yaml');

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const Setting = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]+$/),
    /** What it does with another value than that of the chart; a sentence without a full stop. */
    title: z.string(),
    /** Path in the chart's values. */
    value: z.string().optional(),
    /** Variable of n8n, of Node or of a client library, where the chart has no value for it. */
    env: z.string().optional(),
    /** Values to try instead of the chart's. */
    candidates: z.array(scalar).default([]),
    /** Values of the chart that go with a candidate. */
    with: z.record(z.string(), scalar).default({}),
    modes: z.array(z.enum(['regular', 'queue'])).default(['regular', 'queue']),
    /** Where only one database has it. */
    database: z.enum(['sqlite', 'postgresql']).optional(),
    /** Versions of n8n, as a range of semver. */
    n8n: z.string().refine((range) => validRange(range) !== null, 'must be a range of versions'),
    trades: z.enum(TRADES),
    /** Where it was read. */
    source: z.string(),
    /** To keep in mind. */
    note: z.string().optional(),
    /** Why it cannot be tried. */
    cannot: z.string().optional(),
  })
  .refine((s) => s.cannot !== undefined || (s.value === undefined) !== (s.env === undefined), {
    message: 'must have a value or an env, or say why it cannot be tried',
  })
  .refine((s) => s.cannot !== undefined || s.candidates.length > 0, { message: 'needs a candidate' });
/** A setting of n8n, PostgreSQL, Redis or Node that may change what a deployment takes. */
export type Setting = z.infer<typeof Setting>;

/** The settings of the catalogue, the most promising first. */
export const readSettings = (file = SETTINGS_FILE): Setting[] =>
  z.strictObject({ settings: z.array(Setting) }).parse(yamlFile(file, file, 'restore it')).settings;
