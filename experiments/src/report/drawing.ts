import type { EChartsOption } from 'echarts';

/** The options of an ECharts picture, and its size in pixels. */
export interface Drawing {
  option: EChartsOption;
  width: number;
  height: number;
}

/** Colours that are distinguishable without colour vision (Okabe and Ito, 2008). */
export const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#666666', '#000000'];

const FONT = 'system-ui, sans-serif';
export const AXIS = { color: '#444', fontSize: 11, fontFamily: FONT };

/** Options of all pictures. The background is white because a page may be dark. */
export const FRAME = { backgroundColor: '#fff', textStyle: { fontFamily: FONT } };

/** Pixels that a note of one line adds to the height of a title. */
export const NOTE_HEIGHT = 20;

export const titleOption = (text: string, note?: string) => ({
  title: {
    text,
    ...(note !== undefined && { subtext: note, itemGap: 5, subtextStyle: { ...AXIS, color: '#555' } }),
    left: 0,
    top: 4,
    textStyle: { fontSize: 13, fontWeight: 600 as const, color: '#222', fontFamily: FONT },
  },
});

export const valueAxis = (name: string) => ({
  name,
  nameTextStyle: { ...AXIS, align: 'left' as const },
  axisLabel: AXIS,
  splitLine: { lineStyle: { color: '#e5e5e5' } },
});
