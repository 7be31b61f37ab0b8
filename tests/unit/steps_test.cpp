// SPDX-License-Identifier: MIT
#include "core/steps.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace anmf::test::steps_test {
namespace {

struct Question {
  int number = 0;
  int answer = 0;
};

/// Notes that something ends with it.
class Trail {
 public:
  Trail(std::vector<std::string>& log, std::string name) : log_(log), name_(std::move(name)) {}
  Trail(const Trail&) = delete;
  Trail& operator=(const Trail&) = delete;
  ~Trail() { log_.push_back(name_); }

 private:
  std::vector<std::string>& log_;
  std::string name_;
};

class Sum {
 public:
  Steps<Question> all() {
    const Trail trail(log, "all");
    for (int k = 1; k <= 2; ++k) co_yield part(10 * k);
    co_yield nothing();
    Question last{.number = 99};
    co_yield last;
    total += last.answer;
  }

  Steps<Question> part(int number) {
    const Trail trail(log, "part " + std::to_string(number));
    if (number == fails_at) throw std::runtime_error("part " + std::to_string(number));
    for (int k = 0; k < 2; ++k) {
      Question question{.number = number + k};
      co_yield question;
      total += question.answer;
    }
  }

  Steps<Question> nothing() { co_return; }

  int total = 0;
  int fails_at = -1;
  std::vector<std::string> log;
};

TEST(StepByStep, StopWhereSomethingIsLackingAndGoOnWhenItIsThere) {
  Sum sum;
  std::vector<int> asked;
  for (Steps<Question> steps = sum.all(); Question* question = steps.next();) {
    asked.push_back(question->number);
    question->answer = 2 * question->number;
  }
  EXPECT_EQ(asked, (std::vector<int>{10, 11, 20, 21, 99}));
  EXPECT_EQ(sum.total, 2 * (10 + 11 + 20 + 21 + 99));
  EXPECT_EQ(sum.log, (std::vector<std::string>{"part 10", "part 20", "all"}));
}

TEST(StepByStep, HaveAnEndThatStaysOne) {
  Sum sum;
  Steps<Question> steps = sum.nothing();
  EXPECT_EQ(steps.next(), nullptr);
  EXPECT_EQ(steps.next(), nullptr);
}

TEST(StepByStep, ThrowWhatAPartThrowsAndEndEverything) {
  Sum sum;
  sum.fails_at = 20;
  {
    Steps<Question> steps = sum.all();
    EXPECT_EQ(steps.next()->number, 10);
    EXPECT_EQ(steps.next()->number, 11);
    EXPECT_THROW(static_cast<void>(steps.next()), std::runtime_error);
  }
  EXPECT_EQ(sum.log, (std::vector<std::string>{"part 10", "part 20", "all"}));
}

TEST(StepByStep, MayBeGivenUpInTheMiddle) {
  Sum sum;
  {
    Steps<Question> steps = sum.all();
    EXPECT_EQ(steps.next()->number, 10);
  }
  EXPECT_EQ(sum.log, (std::vector<std::string>{"part 10", "all"}));
}

}  // namespace
}  // namespace anmf::test::steps_test
