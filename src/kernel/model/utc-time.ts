/** Keeps the time of day. Times are UTC, such as `2026-01-31T12:00:00Z`. */
export function subtractDays(time: string, days: number): string {
  const { year, month, day } = convertDayNumber(Math.max(FIRST_DAY_NUMBER, parseDayNumber(time) - days));
  return `${padDateNumber(year, 4)}-${padDateNumber(month, 2)}-${padDateNumber(day, 2)}${time.slice(10)}`;
}

export function countDaysBetween(from: string, to: string): number {
  const whole = parseDayNumber(to) - parseDayNumber(from);
  return to.slice(10) < from.slice(10) ? whole - 1 : whole;
}

function parseDayNumber(time: string): number {
  const [year = 1970, month = 1, day = 1] = time.slice(0, 10).split("-").map(Number);
  return calculateDayNumber(year, month, day);
}

const padDateNumber = (value: number, width: number): string => String(value).padStart(width, "0");

/** Days in 400 years, after which the calendar repeats. */
const DAYS_PER_ERA = 146_097;

/** Years begin in March, so that the leap day is the last day of its year. */
function calculateDayNumber(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const ofEra = y - era * 400;
  const ofYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return era * DAYS_PER_ERA + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear;
}

function convertDayNumber(number: number): { year: number; month: number; day: number } {
  const era = Math.floor(number / DAYS_PER_ERA);
  const ofEra = number - era * DAYS_PER_ERA;
  const y = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  );
  const ofYear = ofEra - (365 * y + Math.floor(y / 4) - Math.floor(y / 100));
  const m = Math.floor((5 * ofYear + 2) / 153);
  const month = m < 10 ? m + 3 : m - 9;
  return { year: y + era * 400 + (month <= 2 ? 1 : 0), month, day: ofYear - Math.floor((153 * m + 2) / 5) + 1 };
}

/** The year has four digits, so earlier days are not representable. */
const FIRST_DAY_NUMBER = calculateDayNumber(1, 1, 1);

export function countSecondsBetween(from: string, to: string): number {
  return (parseDayNumber(to) - parseDayNumber(from)) * 86_400 + parseSecondOfDay(to) - parseSecondOfDay(from);
}

function parseSecondOfDay(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.slice(11, 19).split(":").map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

/** Rounded down: `45 s`, `12 min`, `4 h 30 min`, `3 days`. */
export function formatDuration(seconds: number): string {
  const minutes = Math.floor(Math.max(0, seconds) / 60);
  if (minutes === 0) return `${Math.floor(Math.max(0, seconds))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
