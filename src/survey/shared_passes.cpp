// SPDX-License-Identifier: MIT
#include "survey/shared_passes.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "data/forwarding_data.h"
#include "data/pass_group.h"

namespace anmf {
namespace {

int places(int threads) {
  return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// M as one run sees it; its reads are those of the group.
template <class T>
class GroupMember final : public ForwardingData<T> {
 public:
  GroupMember(const Data<T>& data, PassGroup& group) : ForwardingData<T>(data), group_(group) {
    group_.join();
  }
  GroupMember(const GroupMember&) = delete;
  GroupMember& operator=(const GroupMember&) = delete;
  ~GroupMember() override { group_.leave(); }

  void cross(Side side, ConstMatrixView<T> factor, MatrixView<T> result, ThreadPool& pool) const override {
    const PassGroup::Entered here(group_);
    this->base().cross(side, factor, result, pool);
  }
  void one_pass(ConstMatrixView<T> F, MatrixView<T> cross, const BlockUpdate<T>& update, MatrixView<T> result,
                ThreadPool& pool) const override {
    const PassGroup::Entered here(group_);
    this->base().one_pass(F, cross, update, result, pool);
  }
  void for_each_block(Side side, const EntryVisitor<T>& visit) const override {
    const PassGroup::Entered here(group_);
    this->base().for_each_block(side, visit);
  }
  [[nodiscard]] std::optional<double> squared_residual(ConstMatrixView<T> W, ConstMatrixView<T> Ht,
                                                       ThreadPool& pool) const override {
    const PassGroup::Entered here(group_);
    return this->base().squared_residual(W, Ht, pool);
  }
  [[nodiscard]] std::optional<std::vector<double>> line_norms(Side side) const override {
    const PassGroup::Entered here(group_);
    return this->base().line_norms(side);
  }

 private:
  PassGroup& group_;
};

}  // namespace

template <class T>
class SharedPasses<T>::Impl {
 public:
  Impl(const Data<T>& data, int threads, Interrupt interrupt)
      : data_(data), group_(places(threads), std::move(interrupt)) {}

  [[nodiscard]] std::unique_ptr<Data<T>> join() { return std::make_unique<GroupMember<T>>(data_, group_); }

 private:
  const Data<T>& data_;
  PassGroup group_;
};

template <class T>
SharedPasses<T>::SharedPasses(const Data<T>& data, int threads, Interrupt interrupt)
    : impl_(std::make_unique<Impl>(data, threads, std::move(interrupt))) {}

template <class T>
SharedPasses<T>::~SharedPasses() = default;

template <class T>
std::unique_ptr<Data<T>> SharedPasses<T>::join() {
  return impl_->join();
}

template class SharedPasses<float>;
template class SharedPasses<double>;

}  // namespace anmf
